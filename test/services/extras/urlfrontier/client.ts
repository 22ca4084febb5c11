/** A client of URLFrontier's API on grpc-js, made from the .proto alone: nothing of the server's own code. */
import { readFileSync } from 'node:fs';
import grpc from '@grpc/grpc-js';
import protobuf from 'protobufjs';

const proto = readFileSync(new URL('../../../../schemas/urlfrontier.proto', import.meta.url), 'utf8');
const { root } = protobuf.parse(proto, { keepCase: true });
const service = root.lookupService('urlfrontier.URLFrontier');

/** Messages as plain objects: enums as names, numbers as numbers. */
// biome-ignore lint/suspicious/noExplicitAny: answers of any method
export type Message = any;

export interface ApiClient {
  unary(rpc: string, request?: object): Promise<Message>;
  /** As `unary`, with numbers of 64 bits as their digits. */
  exact(rpc: string, request?: object): Promise<Message>;
  /** All answers to one request, or to a stream of them that ends at once. */
  all(rpc: string, requests: object | readonly object[]): Promise<Message[]>;
  close(): void;
}

export interface ConnectOptions {
  readonly ca?: Buffer;
  readonly token?: string;
}

export function connect(port: number, { ca, token }: ConnectOptions = {}): ApiClient {
  const Client = grpc.makeGenericClientConstructor(definition(), 'URLFrontier');
  const credentials = ca === undefined ? grpc.credentials.createInsecure() : grpc.credentials.createSsl(ca);
  const client = new Client(`localhost:${port}`, credentials);
  const Exact = grpc.makeGenericClientConstructor(definition(String), 'URLFrontier');
  const exact = new Exact(`localhost:${port}`, credentials);
  const metadata = new grpc.Metadata();
  if (token !== undefined) metadata.set('authorization', `Bearer ${token}`);
  const call = (of: typeof client, rpc: string, request: object) =>
    new Promise<Message>((resolve, reject) => {
      of[rpc]!(request, metadata, (error: Error | null, answer: Message) =>
        error === null ? resolve(answer) : reject(error),
      );
    });
  return {
    unary: (rpc, request = {}) => call(client, rpc, request),
    exact: (rpc, request = {}) => call(exact, rpc, request),
    all: (rpc, requests) =>
      new Promise((resolve, reject) => {
        const answers: Message[] = [];
        const call = Array.isArray(requests) ? client[rpc]!(metadata) : client[rpc]!(requests, metadata);
        call.on('data', (answer: Message) => answers.push(answer));
        call.on('end', () => resolve(answers));
        call.on('error', reject);
        if (!Array.isArray(requests)) return;
        for (const request of requests) call.write(request);
        call.end();
      }),
    close: () => {
      client.close();
      exact.close();
    },
  };
}

export function found(url: string, info: object = {}, ID = ''): object {
  return { discovered: { info: { url, ...info } }, ID };
}

/** `date`: seconds since the Unix epoch; 0: never again. */
export function known(url: string, date = 0, info: object = {}): object {
  return { known: { info: { url, ...info }, refetchable_from_date: date } };
}

function definition(longs: NumberConstructor | StringConstructor = Number): grpc.ServiceDefinition {
  const methods: Record<string, grpc.MethodDefinition<object, Message>> = {};
  for (const { name, requestType, responseType, requestStream, responseStream } of service.methodsArray) {
    const request = root.lookupType(`urlfrontier.${requestType}`);
    const answer = root.lookupType(`urlfrontier.${responseType}`);
    methods[name] = {
      path: `/urlfrontier.URLFrontier/${name}`,
      requestStream: requestStream === true,
      responseStream: responseStream === true,
      requestSerialize: (value) => Buffer.from(request.encode(request.fromObject(value)).finish()),
      requestDeserialize: (bytes) => request.decode(bytes),
      responseSerialize: (value) => Buffer.from(answer.encode(value).finish()),
      responseDeserialize: (bytes) => answer.toObject(answer.decode(bytes), { longs, enums: String, defaults: true }),
    };
  }
  return methods;
}
