const { equal } = require("tiny-equal");

exports.same = (wanted, found) => equal(wanted, found);
