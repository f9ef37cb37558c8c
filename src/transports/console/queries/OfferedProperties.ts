import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { CurrentCaller } from "../../../contract/caller.ts"
import { daysInRange } from "../../../contract/time.ts"
import { makeRowsReader } from "../../../platform/database/rows.ts"
import { STAY_NIGHTS } from "../../../platform/limits.ts"
import { OfferedProperty, offeredPropertiesSql } from "./property-conflicts.ts"

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

const isPossibleStay = ({ from, before }: StayNights): boolean => {
  const nights = daysInRange(from, before) - 1
  return nights >= 1 && nights <= STAY_NIGHTS
}

export class OfferedProperties extends Context.Service<OfferedProperties>()(
  "latchkey/transports/console/queries/OfferedProperties",
  {
    make: Effect.map(SqlClient.SqlClient, (sql) => ({
      /** Without valid `nights`, the properties have no conflicts. */
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
