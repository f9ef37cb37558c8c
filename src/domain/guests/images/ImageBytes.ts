import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { makeDatabaseByteStorage } from "./database-byte-storage.ts"
import { makeFolderByteStorage } from "./folder-byte-storage.ts"
import type { ImageByteStorage } from "./image-byte-storage.ts"

export class ImageBytes extends Context.Service<ImageBytes, ImageByteStorage>()(
  "latchkey/domain/guests/images/ImageBytes"
) {
  static readonly layerDatabase: Layer.Layer<ImageBytes, never, SqlClient.SqlClient> = Layer.effect(
    ImageBytes,
    Effect.map(SqlClient.SqlClient, makeDatabaseByteStorage)
  )

  /** Images that are not in the folder are read from the database. */
  static readonly layerFolder = (folder: string): Layer.Layer<ImageBytes, never, SqlClient.SqlClient> =>
    Layer.effect(
      ImageBytes,
      Effect.map(SqlClient.SqlClient, (sql) => {
        const [folderStorage, databaseStorage] = [makeFolderByteStorage(folder), makeDatabaseByteStorage(sql)]
        return ImageBytes.of({
          write: folderStorage.write,
          read: (image, from, length) =>
            Effect.flatMap(folderStorage.read(image, from, length), (bytes) =>
              bytes.length > 0 ? Effect.succeed(bytes) : databaseStorage.read(image, from, length)
            ),
          // The database deletes the bytes that it holds together with the row of their image.
          remove: folderStorage.remove
        })
      })
    )
}
