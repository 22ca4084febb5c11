import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.DecoderFactory;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * Prints the number of pages of each host of a crawl on Kafka. A page that is fetched again counts once, and one that is
 * taken back no longer.
 *
 * <pre>mvn -q compile exec:java -Dexec.args="BROKERS REGISTRY CRAWL"</pre>
 */
public class PagesByHost {
  private static final Map<Integer, Schema> schemas = new ConcurrentHashMap<>();

  public static void main(String[] args) {
    String registry = args[1];
    String crawl = args[2];
    var builder = new StreamsBuilder();
    // Keys of `pages` are URLs, on the partition of their host: count() sends them on, by host.
    builder
        .stream(crawl + ".pages", Consumed.with(Serdes.String(), Serdes.ByteArray()))
        .mapValues(value -> value == null ? null : decode(registry, value).get("hostKey").toString())
        .toTable(Materialized.with(Serdes.String(), Serdes.String()))
        .groupBy((url, host) -> KeyValue.pair(host, url), Grouped.with(Serdes.String(), Serdes.String()))
        .count(Materialized.<String, Long, KeyValueStore<Bytes, byte[]>>as("pages-by-host"))
        .toStream()
        .foreach((host, pages) -> System.out.println(host + " " + pages));

    var settings = new Properties();
    settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, args[0]);
    settings.put(StreamsConfig.APPLICATION_ID_CONFIG, crawl + ".pages-by-host");
    // Otherwise a crash may count a page twice.
    settings.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
    settings.put(StreamsConfig.STATE_DIR_CONFIG, "state");
    settings.put("auto.offset.reset", "earliest");
    var streams = new KafkaStreams(builder.build(), settings);
    Runtime.getRuntime().addShutdownHook(new Thread(streams::close));
    streams.start();
  }

  /** Returns the record. It was written by the schema that its first five bytes name. */
  private static GenericRecord decode(String registry, byte[] value) {
    try {
      Schema schema = schemas.computeIfAbsent(ByteBuffer.wrap(value, 1, 4).getInt(), id -> schemaOf(registry, id));
      var body = DecoderFactory.get().binaryDecoder(value, 5, value.length - 5, null);
      return new GenericDatumReader<GenericRecord>(schema).read(null, body);
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  private static Schema schemaOf(String registry, int id) {
    try (var answer = URI.create(registry + "/schemas/ids/" + id).toURL().openStream()) {
      return new Schema.Parser().parse(new ObjectMapper().readTree(answer).get("schema").asText());
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }
}
