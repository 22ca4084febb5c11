/** Calls of URLFrontier's API on grpc-js, made from the .proto alone: nothing of the server's own code. */
import { readFileSync } from 'node:fs';
import grpc from '@grpc/grpc-js';
import protobuf from 'protobufjs';

const proto = readFileSync(new URL('../../schemas/urlfrontier.proto', import.meta.url), 'utf8');
const { root } = protobuf.parse(proto, { keepCase: true });
const service = root.lookupService('urlfrontier.URLFrontier');

/** Methods by name, as grpc-js has them; messages are plain objects, enums names, numbers numbers. */
export function connectApi(port: number): InstanceType<grpc.ServiceClientConstructor> {
  const methods: Record<string, grpc.MethodDefinition<object, object>> = {};
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
      responseDeserialize: (bytes) =>
        answer.toObject(answer.decode(bytes), { longs: Number, enums: String, defaults: true }),
    };
  }
  const Client = grpc.makeGenericClientConstructor(methods, 'URLFrontier');
  return new Client(`127.0.0.1:${port}`, grpc.credentials.createInsecure());
}
