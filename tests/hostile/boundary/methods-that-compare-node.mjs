class Letters { has() { return true; } }

export const letters = () => new Letters();
