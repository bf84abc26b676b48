module.exports.count = (text) => text.split(" ").length;
