/**
 * The lower limit for the bench of URLFrontier's API: a server on @grpc/grpc-js that only answers. `single` writes each
 * ack separately, as grpc-js does; `batched` writes pending acks together, as our server does. It runs as a separate
 * process, and prints its port.
 */
import grpc from '@grpc/grpc-js';
import { codecOf } from '../../../services/extras/urlfrontier/wire.ts';
import { type Method, serveGrpc } from '../../../services/runtime/grpc/grpc-server.ts';

const ack = Buffer.from([0x0a, 3, 0x61, 0x62, 0x63]);

if (process.argv[2] === 'single') serveSingle();
else await serveBatched();

async function serveBatched(): Promise<void> {
  const put: Method = {
    kind: 'duplex',
    act: (requests, answers) =>
      new Promise((resolve, reject) => {
        let [owed, isDue] = [0, false];
        const flush = () => {
          isDue = false;
          answers.write(Array.from({ length: owed }, () => ack)).catch(reject);
          owed = 0;
        };
        requests.onRequest(() => {
          owed += 1;
          if (!isDue) setImmediate(flush);
          isDue = true;
        });
        requests.onEnd(() => {
          flush();
          resolve();
        });
      }),
  };
  const { port } = await serveGrpc(
    'urlfrontier.URLFrontier',
    { PutURLs: put },
    codecOf,
    { host: '127.0.0.1', port: 0 },
    () => {},
  );
  process.stdout.write(`${port}\n`);
}

function serveSingle(): void {
  const server = new grpc.Server();
  const bytes = (value: Buffer) => value;
  const PutURLs = {
    path: '/urlfrontier.URLFrontier/PutURLs',
    requestStream: true,
    responseStream: true,
    requestSerialize: bytes,
    requestDeserialize: bytes,
    responseSerialize: bytes,
    responseDeserialize: bytes,
  };
  const handle: grpc.handleBidiStreamingCall<Buffer, Buffer> = (call) => {
    call.on('data', () => call.write(ack));
    call.on('end', () => call.end());
  };
  server.addService({ PutURLs }, { PutURLs: handle as grpc.UntypedHandleCall });
  server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (_, port) => {
    process.stdout.write(`${port}\n`);
  });
}
