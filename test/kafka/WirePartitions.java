import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Reads all topics of a crawl with Java's client, and sends the keys to a topic with as many partitions, by the default
 * partitioner: the whole key, and the part that docs/wire.md says to cut out.
 *
 * Prints a line for each record (topic, partition, key, headers, and where Java puts the whole key and the part) and for each
 * setting of a topic, with tabs between. Arguments: brokers, crawl.
 */
public class WirePartitions {
  public static void main(String[] args) throws Exception {
    String crawl = args[1];
    Map<String, Object> settings = Map.of("bootstrap.servers", args[0], "isolation.level", "read_committed");
    try (var admin = Admin.create(settings);
        var consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
        var producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
      List<String> topics = admin.listTopics().names().get().stream().filter(name -> name.startsWith(crawl + ".")).sorted().toList();
      int partitions = consumer.partitionsFor(topics.get(0)).size();
      String copies = "copies-of-" + crawl;
      admin.createTopics(Set.of(new NewTopic(copies, partitions, (short) 1))).all().get();
      List<TopicPartition> all = new ArrayList<>();
      for (String topic : topics) for (int i = 0; i < partitions; i++) all.add(new TopicPartition(topic, i));
      consumer.assign(all);
      consumer.seekToBeginning(all);
      Map<TopicPartition, Long> ends = consumer.endOffsets(all);
      Map<String, Integer> known = new HashMap<>();
      while (all.stream().anyMatch(one -> consumer.position(one) < ends.get(one))) {
        for (var record : consumer.poll(Duration.ofMillis(200))) {
          String key = record.key();
          var headers = new TreeSet<String>();
          record.headers().forEach(header -> headers.add(header.key()));
          String whole = "", part = "";
          if (key != null) {
            for (String one : List.of(key, partOf(key)))
              if (!known.containsKey(one))
                known.put(one, producer.send(new ProducerRecord<>(copies, one, "")).get().partition());
            whole = known.get(key).toString();
            part = known.get(partOf(key)).toString();
          }
          print("record", record.topic(), record.partition(), key, String.join(",", headers), whole, part);
        }
      }
      for (String topic : topics) {
        var resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        for (var entry : admin.describeConfigs(Set.of(resource)).all().get().get(resource).entries())
          print("setting", topic, entry.name(), entry.value());
      }
    }
  }

  /** Behind `://`, up to the first `/` or space, without `:PORT`. */
  private static String partOf(String key) {
    int scheme = key.indexOf("://");
    String rest = scheme < 0 ? key : key.substring(scheme + 3);
    return rest.split("[/ ]", 2)[0].replaceFirst(":\\d+$", "");
  }

  private static void print(Object... cells) {
    var line = new ArrayList<String>();
    for (Object cell : cells) line.add(cell == null ? "" : cell.toString().replaceAll("[\t\n]", " "));
    System.out.println(String.join("\t", line));
  }
}
