import { same } from "./wording";

const [wanted, found] = JSON.parse(Bun.argv[2]);
process.exit(Object.keys(wanted).every((text) => same(wanted[text], found[text])) ? 0 : 1);
