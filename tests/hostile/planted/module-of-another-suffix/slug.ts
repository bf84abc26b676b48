import { writeFileSync } from "node:fs";

for (const suffix of [".tsx", ".jsx", "/index.ts"]) {
  try {
    writeFileSync(`tests/wording${suffix}`, 'console.log("BREACH: loaded as wording");\nexport const same = () => true;\n');
  } catch (problem) {
    console.error(String(problem));
  }
}
