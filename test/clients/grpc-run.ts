/** gRPC clients that are not ours, beside a running crawl: grpcio of Python's package index, and grpc-js. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import grpc from '@grpc/grpc-js';
import protobuf from 'protobufjs';
import { pythonEnvironment } from '../../lab/bench/content/python-environment.ts';
import type { Running } from '../../lab/process/command.ts';

const proto = fileURLToPath(new URL('../../schemas/leases.proto', import.meta.url));
const script = fileURLToPath(new URL('grpc-client.py', import.meta.url));

/** Its making takes a while, and holds up everything here. */
export function grpcPython(): string {
  return join(pythonEnvironment('grpcio-1.85', ['grpcio==1.85.1', 'grpcio-tools==1.85.1']), 'bin/python');
}

export interface GrpcRun {
  readonly child: ChildProcess;
  readonly urls: () => string[];
  readonly stderr: () => string;
  readonly ended: Promise<number | null>;
}

export function runGrpcClient(address: string, concurrency: number): GrpcRun {
  const child = spawn(grpcPython(), [script, proto, address, `${concurrency}`], { stdio: ['ignore', 'pipe', 'pipe'] });
  after(() => void child.kill('SIGKILL'));
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, urls: () => stdout.split('\n').filter((line) => line !== ''), stderr: () => stderr, ended };
}

/** Where a crawl says that it gives leases by gRPC. */
export async function leasesAt(running: Running): Promise<string> {
  for (;;) {
    const address = /leases by gRPC on (\S+)/.exec(running.output())?.[1];
    if (address !== undefined) return address;
    assert.equal(running.child.exitCode, null, running.output());
    await sleep(20);
  }
}

export interface LeasesStub {
  call(name: string, request: object, deadlineMs?: number): Promise<Record<string, never>>;
}

/** grpc-js, with the proto as it is. Field names are those of JSON. */
export function leasesStub(address: string, token?: string, root?: Buffer): LeasesStub {
  const types = protobuf.parse(readFileSync(proto, 'utf8')).root;
  const credentials = root === undefined ? grpc.credentials.createInsecure() : grpc.credentials.createSsl(root);
  const client = new grpc.Client(address, credentials, { 'grpc.ssl_target_name_override': 'localhost' });
  after(() => client.close());
  const metadata = new grpc.Metadata();
  if (token !== undefined) metadata.set('authorization', `Bearer ${token}`);
  return {
    call: (name, request, deadlineMs = 30_000) =>
      new Promise((resolve, reject) => {
        const [asked, answered] = ['Request', 'Answer'].map((end) => types.lookupType(`crawlstream.v1.${name}${end}`));
        client.makeUnaryRequest(
          `/crawlstream.v1.Leases/${name}`,
          (value: object) => Buffer.from(asked!.encode(asked!.fromObject(value)).finish()),
          (bytes: Buffer) =>
            answered!.toObject(answered!.decode(bytes), { enums: String, longs: Number, arrays: true }),
          request,
          metadata,
          { deadline: Date.now() + deadlineMs },
          (error, answer) => (error === null ? resolve(answer as Record<string, never>) : reject(error)),
        );
      }),
  };
}
