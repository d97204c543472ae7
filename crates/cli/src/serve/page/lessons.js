export class Lessons { constructor(state) {} update() {} }
