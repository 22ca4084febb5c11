/** A waiting robots hop as bytes, in changes and checkpoint rows. See `decide/leases/robots-hops.ts`. */
import type { RobotsHop } from '../../../schemas/types.ts';
import type { ByteReader, ByteWriter } from '../storage/bytes.ts';

export function writeRobotsHop(writer: ByteWriter, { url, asked, partition }: RobotsHop): void {
  writer.string(url);
  writer.uint(partition);
  writer.uint(asked.length);
  for (const one of asked) writer.string(one);
}

export function readRobotsHop(reader: ByteReader): RobotsHop {
  const url = reader.string();
  const partition = reader.uint();
  const asked: string[] = [];
  for (let left = reader.uint(); left > 0; left--) asked.push(reader.string());
  return { url, asked, partition };
}
