/**
 * Credentials as AWS's own tools find them: the variables AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, or
 * else by AWS's client: profiles, a pod's or a machine's role. They run out: ask again each time.
 */
import type { AwsCredentials } from '../log/kafka/msk-token.ts';
import { neededPackage } from '../needed-package.ts';

export function awsCredentials(region: string, env: NodeJS.ProcessEnv): () => Promise<AwsCredentials> {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env;
  if (accessKeyId && secretAccessKey) {
    const sessionToken = env['AWS_SESSION_TOKEN'] || undefined;
    return async () => ({ accessKeyId, secretAccessKey, sessionToken });
  }
  let chain: (() => Promise<AwsCredentials>) | undefined;
  return async () => {
    if (chain === undefined) {
      env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
      const what = 'a role of AWS for CRAWLSTREAM_KAFKA_MECHANISM=aws-msk-iam';
      const sdk = await neededPackage('@aws-sdk/client-s3', what, () => import('@aws-sdk/client-s3'));
      const client = new sdk.S3Client({ region });
      chain = async () => client.config.credentials();
    }
    return chain();
  };
}
