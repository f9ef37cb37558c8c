import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { CurrentCaller } from "../../../contract/caller.ts"
import { daysInRange } from "../../../contract/time.ts"
import { makeRowsReader } from "../../../platform/database/rows.ts"
import { STAY_NIGHTS } from "../../../platform/limits.ts"
import { OfferedProperty, offeredPropertiesSql } from "./property-conflicts.ts"

/** When somebody would arrive and leave. */
interface StayNights {
  readonly from: string
  readonly before: string
}

interface OfferedPropertiesInput {
  readonly operatorId: number
  readonly from: string | undefined
  readonly before: string | undefined
}

const readOfferedProperties = makeRowsReader(OfferedProperty)

const selectOfferedProperties = (sql: SqlClient.SqlClient, { operatorId, from, before }: OfferedPropertiesInput) =>
  sql`${offeredPropertiesSql(sql, operatorId, from === undefined || before === undefined ? undefined : { from, before })}`

/** Whether there can be a stay of such nights: of others nothing is looked up. */
const isPossibleStay = ({ from, before }: StayNights): boolean => {
  const nights = daysInRange(from, before) - 1
  return nights >= 1 && nights <= STAY_NIGHTS
}

/** The properties that a form offers to choose from. */
export class OfferedProperties extends Context.Service<OfferedProperties>()(
  "latchkey/transports/console/queries/OfferedProperties",
  {
    make: Effect.map(SqlClient.SqlClient, (sql) => ({
      /** Returns the properties by title. With `nights` that a stay can have, each has its conflicts on those nights. */
      of: (nights?: StayNights) =>
        CurrentCaller.use(({ operatorId }) =>
          readOfferedProperties(
            selectOfferedProperties(
              sql,
              nights !== undefined && isPossibleStay(nights)
                ? { operatorId, ...nights }
                : { operatorId, from: undefined, before: undefined }
            )
          )
        )
    }))
  }
) {
  static readonly layer = Layer.effect(OfferedProperties, OfferedProperties.make)
}
