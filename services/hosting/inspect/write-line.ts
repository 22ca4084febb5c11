/** Takes the lines of a list. */

/** Writes a line through the door (door.ts); false: the reader is gone. */
export type WriteLine = (line: string) => Promise<boolean>;
