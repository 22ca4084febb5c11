import static org.codelibs.opensearch.runner.OpenSearchRunner.newConfigs;

import org.codelibs.opensearch.runner.OpenSearchRunner;

/** One OpenSearch node on loopback, of a folder and a port, until standard input ends. */
public class Node {
  public static void main(String[] args) throws Exception {
    OpenSearchRunner runner = new OpenSearchRunner();
    // Its own search for a free port knows only those up to 9299.
    runner.setMaxHttpPort(-1);
    runner
        .onBuild((number, settings) -> settings.put("network.host", "127.0.0.1"))
        .build(newConfigs().basePath(args[0]).numOfNode(1).baseHttpPort(Integer.parseInt(args[1]) - 1));
    while (System.in.read() >= 0) {}
    System.exit(0);
  }
}
