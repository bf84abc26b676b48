// Prints the task and everything that an answer is likely to hold.
const words = @words@;
console.log(words);
const answer = () => words;
