import { Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { ConnectorCache } from "../../../../src/connectors/http/ConnectorCache.ts"
import { Ingest } from "../../../../src/connectors/ingest/Ingest.ts"
import { CalendarStays } from "../../../../src/domain/calendars/calendar-stays/CalendarStays.ts"
import { CalendarQueue } from "../../../../src/domain/calendars/imported-calendars/CalendarQueue.ts"
import { FeedReader } from "../../../../src/domain/calendars/imported-calendars/FeedReader.ts"
import { ImportedCalendars } from "../../../../src/domain/calendars/imported-calendars/ImportedCalendars.ts"
import { PropertyFeeds } from "../../../../src/domain/calendars/property-feeds/PropertyFeeds.ts"
import { AllowedReceivers, parseAllowedHosts } from "../../../../src/domain/webhooks/deliveries/allowed-hosts.ts"
import { DeliveryQueue } from "../../../../src/domain/webhooks/deliveries/DeliveryQueue.ts"
import { EventDispatcher } from "../../../../src/domain/webhooks/deliveries/EventDispatcher.ts"
import { TestEvents } from "../../../../src/domain/webhooks/deliveries/TestEvents.ts"
import { layerSealing } from "../../../../src/platform/sealing/CurrentSealer.ts"
import { SEALED_COLUMNS, toColumnLabel } from "../../../../src/platform/sealing/sealed-columns.ts"
import {
  generateKey,
  noSecretKeys,
  parseSecretKeys,
  type SecretKeys
} from "../../../../src/platform/sealing/secret-keys.ts"
import { CalendarsElsewhere } from "../../../../src/transports/console/queries/CalendarsElsewhere.ts"
import { layerConnectorEndpointWithReceiver } from "../../connectors/http/http-connectors.ts"
import { layerLocalOutbound } from "../../domain/webhooks/deliveries/outbound-requests.ts"
import { layerServiceWithOutbound } from "../../harness.ts"
import { layerHttpServerOf } from "../../http-server.ts"
import { layerOwnDatabase } from "../../own-database.ts"

// A service that seals, over a database of its own, and what its tables show of a secret.

export const parseKeys = (...texts: ReadonlyArray<string>): SecretKeys =>
  parseSecretKeys(texts.join(",")) ?? noSecretKeys

export const [FIRST_KEY, SECOND_KEY] = [generateKey(), generateKey()]

/** The service with these keys, its connectors' door and all that works with a secret; hosts on 127.0.0.1 are allowed. */
export const layerSealedService = (keys: SecretKeys) =>
  Layer.mergeAll(
    EventDispatcher.layer,
    DeliveryQueue.layer,
    TestEvents.layer,
    CalendarQueue.layer,
    FeedReader.layer,
    ImportedCalendars.layer,
    CalendarStays.layer,
    PropertyFeeds.layer,
    CalendarsElsewhere.layer,
    ConnectorCache.layer
  ).pipe(
    Layer.provideMerge(
      layerHttpServerOf(
        Layer.provideMerge(
          Layer.provide(layerConnectorEndpointWithReceiver, Ingest.layer),
          Layer.provideMerge(layerServiceWithOutbound(layerOwnDatabase), layerLocalOutbound)
        )
      )
    ),
    Layer.provideMerge(Layer.succeed(AllowedReceivers, Result.getOrThrow(parseAllowedHosts("127.0.0.1")))),
    Layer.provideMerge(layerSealing(keys))
  )

/** The tables of which some row shows one of the texts, as it is or as bytes. */
export const findTablesWithTexts = Effect.fnUntraced(function* (texts: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ name: string }>`
    SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename`
  const encodedTexts = texts.flatMap((text) => [
    text,
    Buffer.from(text).toString("hex"),
    Buffer.from(text).toString("base64")
  ])
  const tableNames = yield* Effect.forEach(tables, ({ name }) =>
    Effect.map(
      sql<{ shows: boolean }>`
        SELECT EXISTS (
          SELECT FROM ${sql(name)} t, unnest(${encodedTexts}::text[]) sought WHERE strpos(t::text, sought) > 0) AS shows`,
      ([row]) => (row?.shows === true ? [name] : [])
    )
  )
  return tableNames.flat()
}, Effect.orDie)

/** Every text that a column keeps which may be sealed, by column. */
export const loadSealableTexts = Effect.fnUntraced(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* Effect.forEach(SEALED_COLUMNS, (column) =>
    Effect.map(
      sql.unsafe<{ text: string }>(`
        SELECT ${column.textExpression} AS text FROM ${column.table}
        WHERE ${column.textExpression} IS NOT NULL AND ('${column.clearTextPrefix ?? ""}' = '' OR ${column.textExpression} LIKE 'sealed:%'
          OR ${column.textExpression} LIKE '${column.clearTextPrefix ?? ""}%') ORDER BY 1`),
      (rows) => [toColumnLabel(column), rows.map(({ text }) => text)] as const
    )
  )
}, Effect.orDie)
