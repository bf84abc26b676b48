import "../slug.mjs";
