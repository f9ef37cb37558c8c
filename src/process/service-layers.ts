import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer } from "effect"
import type { RateWindows } from "../admission/windows/RateWindows.ts"
import { FailedCallCounter } from "../changes/FailedCallCounter.ts"
import { ConnectorMessageReceiver } from "../connectors/http/ConnectorMessageReceiver.ts"
import { Ingest } from "../connectors/ingest/Ingest.ts"
import { Clients } from "../domain/access/oauth/Clients.ts"
import { Operators } from "../domain/access/operators/Operators.ts"
import { layerTokenUseWriter } from "../domain/access/operators/token-use-writer.ts"
import { MailedLinks } from "../domain/access/sign-in/mailed-links/MailedLinks.ts"
import { Passwords } from "../domain/access/sign-in/Passwords.ts"
import { Sessions } from "../domain/access/sign-in/Sessions.ts"
import { SubAccounts } from "../domain/access/sign-in/SubAccounts.ts"
import { GuestPortal } from "../domain/bookings/check-in/GuestPortal.ts"
import { ChannelGateway } from "../domain/channels/port/ChannelGateway.ts"
import { isFolderUsable } from "../domain/guests/images/folder-byte-storage.ts"
import { ImageBytes } from "../domain/guests/images/ImageBytes.ts"
import { NotificationStore } from "../domain/notifications/store.ts"
import { IMAGES_FOLDER } from "../platform/database/data-folder.ts"
import {
  DatabaseInMemory,
  layerBackgroundDatabase,
  layerRequestDatabase
} from "../platform/database/database-layers.ts"
import { IMAGE_STORE_DESCRIPTION, isLocalOnly, type Settings, WrongSetting } from "../service/configuration.ts"
import { layerServiceAssembly } from "../service/service-assembly.ts"
import { makeTryPageToken } from "../tools/demo/try-page-token.ts"
import { layerConnectorEndpoint } from "../transports/connectors/connector-endpoint.ts"
import { layerConsoleEndpoint } from "../transports/console/console-endpoint.ts"
import { layerConsoleQueries } from "../transports/console/queries/layer.ts"
import { layerDocs, TryPageToken } from "../transports/public-documents/docs-endpoint.ts"
import { type LayerConnectors, layerOutboundHttp } from "./connector-layers.ts"

export const layerConnectorMessages = (settings: Settings) =>
  layerConnectorEndpoint(settings).pipe(Layer.provide(Layer.provide(ConnectorMessageReceiver.layer, Ingest.layer)))

const layerFailedCallCounter = Layer.provide(FailedCallCounter.layer, layerBackgroundDatabase)

export const layerService = (settings: Settings, windows: Layer.Layer<RateWindows>, connectors: LayerConnectors) =>
  layerServiceAssembly.pipe(
    Layer.provide([
      layerOutboundHttp(settings),
      Layer.provide(ChannelGateway.layer, connectors),
      layerFailedCallCounter,
      Layer.provide(layerTokenUseWriter, layerBackgroundDatabase)
    ]),
    Layer.provideMerge(windows)
  )

export const layerImageBytes = ({ imageStore, databaseUrl, dataDir }: Settings) =>
  Layer.unwrap(
    Effect.map(DatabaseInMemory, (inMemory) => {
      if (imageStore !== undefined) return ImageBytes.layerFolder(imageStore)
      const hasFolder = databaseUrl === undefined && inMemory === undefined
      return hasFolder ? ImageBytes.layerFolder(join(dataDir, IMAGES_FOLDER)) : ImageBytes.layerDatabase
    })
  )

/** Does not create a missing image folder, because a volume may not be mounted yet. */
export const checkImageStore = Effect.fnUntraced(function* ({ imageStore }: Settings) {
  if (imageStore === undefined || (yield* isFolderUsable(imageStore))) return
  return yield* new WrongSetting({ variable: "IMAGE_STORE", expected: IMAGE_STORE_DESCRIPTION, given: imageStore })
})

export const layerGuestPortal = Layer.provide(GuestPortal.layer, layerRequestDatabase)

export const layerConsole = (settings: Settings) =>
  layerConsoleEndpoint(settings.publicUrl, settings).pipe(
    Layer.provide([
      Sessions.layer,
      Passwords.layer,
      SubAccounts.layer,
      Clients.layer,
      MailedLinks.layer,
      NotificationStore.layer
    ]),
    Layer.provide(layerConsoleQueries),
    Layer.provide([layerOutboundHttp(settings), layerRequestDatabase, layerFailedCallCounter])
  )

/** On a local installation, visitors can try requests with a token of the demo operator. */
export const layerDocumentation = (settings: Settings) => {
  const docs = Layer.provide(layerDocs(settings.publicUrl), NodeServices.layer)
  if (!isLocalOnly(settings)) return docs
  return docs.pipe(
    Layer.provide(Layer.effect(TryPageToken, makeTryPageToken)),
    Layer.provide([Operators.layer, layerRequestDatabase])
  )
}
