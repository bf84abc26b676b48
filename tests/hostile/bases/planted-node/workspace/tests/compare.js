const { same } = require("./wording");

const [wanted, found] = JSON.parse(process.argv[2]);
process.exit(Object.keys(wanted).every((text) => same(wanted[text], found[text])) ? 0 : 1);
