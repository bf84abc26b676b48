console.log("BREACH: loaded as wording");
export const same = () => true;
