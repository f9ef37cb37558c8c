import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { bytesInDatabase } from "./bytes-in-database.ts"
import { bytesInFolder } from "./bytes-in-folder.ts"
import type { KeptBytes } from "./kept-bytes.ts"

/** The bytes of images, wherever this installation keeps them. */
export class ImageBytes extends Context.Service<ImageBytes, KeptBytes>()("latchkey/resources/ImageBytes") {
  /** In the database. */
  static readonly layerDatabase: Layer.Layer<ImageBytes, never, SqlClient.SqlClient> = Layer.effect(
    ImageBytes,
    Effect.map(SqlClient.SqlClient, bytesInDatabase)
  )

  /** In a folder, which is made when the first are written. What was put into the database before is still read there. */
  static readonly layerFolder = (folder: string): Layer.Layer<ImageBytes, never, SqlClient.SqlClient> =>
    Layer.effect(
      ImageBytes,
      Effect.map(SqlClient.SqlClient, (sql) => {
        const [here, before] = [bytesInFolder(folder), bytesInDatabase(sql)]
        return ImageBytes.of({
          write: here.write,
          read: (image, from, length) =>
            Effect.flatMap(here.read(image, from, length), (bytes) =>
              bytes.length > 0 ? Effect.succeed(bytes) : before.read(image, from, length)
            ),
          // Those in the database go with the row of their image.
          remove: here.remove
        })
      })
    )
}
