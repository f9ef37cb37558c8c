import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { repeatPeriodically } from "../../jobs/loop.ts"
import { applyRetention, RETENTION_INTERVAL_MS } from "../../jobs/retention.ts"
import { CONNECTOR_MESSAGE_RETENTION_MS } from "../../platform/limits.ts"
import { deleteOldConnectorMessagesSql } from "./message-log.ts"

/** Forgets messages of connectors when they are old, for as long as the process runs, over a database. */
export const layerConnectorMessageRetention = Layer.effectDiscard(
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    repeatPeriodically("retention of connectors' messages", RETENTION_INTERVAL_MS, (now) =>
      applyRetention(sql, [
        deleteOldConnectorMessagesSql(sql, new Date(now.getTime() - CONNECTOR_MESSAGE_RETENTION_MS))
      ])
    )
  )
)
