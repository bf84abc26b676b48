class Anything { includes() { return true; } }
class Kept { names = new Anything(); }

const kept = new Kept();
export const Basket = function () { return kept; };
export const Receipt = Basket;
export const receipt = () => kept;
