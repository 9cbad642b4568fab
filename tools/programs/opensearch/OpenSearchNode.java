import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.opensearch.Version;
import org.opensearch.common.settings.Settings;
import org.opensearch.env.Environment;
import org.opensearch.http.HttpServerTransport;
import org.opensearch.index.reindex.ReindexModulePlugin;
import org.opensearch.join.ParentJoinModulePlugin;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.percolator.PercolatorModulePlugin;
import org.opensearch.plugins.PluginInfo;
import org.opensearch.transport.Netty4ModulePlugin;

/**
 * One OpenSearch node with the modules on the class path, for tests: {@code OpenSearchNode HOME key=value ...}.
 *
 * <p>Prints {@code listening on HOST:PORT} as soon as it answers. It ends on SIGTERM, and when its standard input ends:
 * no node outlives the process that started it.
 */
public final class OpenSearchNode extends Node {
  private static final List<Class<?>> MODULES =
      List.of(
          Netty4ModulePlugin.class,
          ParentJoinModulePlugin.class,
          PercolatorModulePlugin.class,
          ReindexModulePlugin.class);

  private OpenSearchNode(Environment environment) {
    super(environment, MODULES.stream().map(OpenSearchNode::infoOf).toList(), true);
  }

  public static void main(String[] arguments) {
    try {
      var settings = Settings.builder().put("path.home", Path.of(arguments[0]).toAbsolutePath().toString());
      for (var argument : List.of(arguments).subList(1, arguments.length)) {
        var pair = argument.split("=", 2);
        settings.put(pair[0], pair[1]);
      }
      var environment =
          InternalSettingsPreparer.prepareEnvironment(settings.build(), Map.of(), null, () -> "node");
      var node = new OpenSearchNode(environment);
      Runtime.getRuntime().addShutdownHook(new Thread(() -> closeInTime(node)));
      node.start();
      var transport = node.injector().getInstance(HttpServerTransport.class);
      System.out.println("listening on " + transport.boundAddress().publishAddress());
      while (System.in.read() != -1) {}
      System.exit(0);
    } catch (Throwable failure) {
      failure.printStackTrace();
      // The threads of a node that failed to start would keep the process alive.
      System.exit(1);
    }
  }

  private static PluginInfo infoOf(Class<?> module) {
    var java = Integer.toString(Runtime.version().feature());
    var name = module.getName();
    return new PluginInfo(name, "a module on the class path", "NA", Version.CURRENT, java, name, List.of(), false);
  }

  private static void closeInTime(Node node) {
    try {
      node.close();
      node.awaitClose(10, TimeUnit.SECONDS);
    } catch (Exception failure) {
      failure.printStackTrace();
    }
  }
}
