import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { periodically } from "../../jobs/loop.ts"
import { applyRetention, RETENTION_MS } from "../../jobs/retention.ts"
import { CONNECTOR_MESSAGES_KEPT_MS } from "../../platform/limits.ts"
import { forgettingMessages } from "./messages.ts"

/** Forgets messages of connectors when they are old, for as long as the process runs, over a database. */
export const layerConnectorRetention = Layer.effectDiscard(
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    periodically("retention of connectors' messages", RETENTION_MS, (now) =>
      applyRetention(sql, [forgettingMessages(sql, new Date(now.getTime() - CONNECTOR_MESSAGES_KEPT_MS))])
    )
  )
)
