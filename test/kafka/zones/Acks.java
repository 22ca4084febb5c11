import java.util.Properties;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/** Kafka's own producer with its defaults: a record every 200 ms to one partition, and a line with the offset at each ack. */
public class Acks {
  public static void main(String[] args) throws Exception {
    Properties properties = new Properties();
    properties.put("bootstrap.servers", args[0]);
    properties.put("key.serializer", StringSerializer.class.getName());
    properties.put("value.serializer", StringSerializer.class.getName());
    KafkaProducer<String, String> producer = new KafkaProducer<>(properties);
    for (int n = 0; ; n++) {
      producer.send(new ProducerRecord<>(args[1], 0, null, "java " + n), (metadata, error) -> {
        System.out.println(error == null ? "acked " + metadata.offset() : "failed " + error);
        System.out.flush();
      });
      Thread.sleep(200);
    }
  }
}
