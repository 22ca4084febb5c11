/** A real S3 server on loopback for tests: versitygw over a folder. */
import { spawn } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { freePorts, isListening } from '../../lab/kafka/daemon.ts';
import { go, goProgram } from '../go/program.ts';

const version = 'v1.8.0';

export interface TestS3 {
  /** What AWS's own tools take, and so ours: endpoint, credentials. */
  readonly env: Readonly<Record<string, string>>;
  /** An empty bucket. */
  bucket(): Promise<string>;
  /** Where the objects of a bucket lie as files. */
  folderOf(bucket: string): string;
  stop(): Promise<void>;
}

/** One that a developer has installed, or else a fresh one. */
const versitygw = goProgram({ name: 'versitygw', version, what: 'the S3 server' }, async (into) => {
  const there = join(await go(['env', 'GOPATH']), 'bin', 'versitygw');
  const about = await go(['version', '-m', there]).catch(() => '');
  if (about.includes(`versitygw\t${version}`)) return copyFile(there, join(into, 'versitygw'));
  return go(['install', `github.com/versity/versitygw/cmd/versitygw@${version}`], { GOBIN: into });
});

export const s3SkipReason = versitygw.skipReason;

export async function startS3(): Promise<TestS3> {
  const file = await versitygw.file();
  const [port] = await freePorts(1);
  const folder = await mkdtemp(join(tmpdir(), 'crawlstream-s3-'));
  const buckets = join(folder, 'buckets');
  await mkdir(buckets);
  const env = {
    AWS_ACCESS_KEY_ID: 'crawlstream',
    AWS_SECRET_ACCESS_KEY: 'a secret of the tests',
    AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
    AWS_REGION: 'us-east-1',
  };
  const child = spawn(file, ['--quiet', '--port', `127.0.0.1:${port}`, 'posix', buckets], {
    cwd: folder,
    stdio: 'ignore',
    env: { ...process.env, ROOT_ACCESS_KEY: env.AWS_ACCESS_KEY_ID, ROOT_SECRET_KEY: env.AWS_SECRET_ACCESS_KEY },
  });
  const kill = () => child.kill('SIGKILL');
  process.on('exit', kill);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  while (!(await isListening(port!))) {
    if (child.exitCode !== null) throw new Error(`the S3 server ended with code ${child.exitCode}`);
    await sleep(50);
  }
  const client = new S3Client({
    endpoint: env.AWS_ENDPOINT_URL_S3,
    region: env.AWS_REGION,
    forcePathStyle: true,
    credentials: { accessKeyId: env.AWS_ACCESS_KEY_ID, secretAccessKey: env.AWS_SECRET_ACCESS_KEY },
  });
  let count = 0;
  return {
    env,
    async bucket() {
      const bucket = `bucket-${count++}`;
      await client.send(new CreateBucketCommand({ Bucket: bucket }));
      return bucket;
    },
    folderOf: (bucket) => join(buckets, bucket),
    async stop() {
      process.off('exit', kill);
      client.destroy();
      kill();
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
