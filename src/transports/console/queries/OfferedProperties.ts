import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { CurrentCaller } from "../../../contract/caller.ts"
import { daysInRange } from "../../../contract/time.ts"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { makeRowsReader } from "../../../platform/database/rows.ts"
import { STAY_NIGHTS } from "../../../platform/limits.ts"
import { OfferedProperty, offeredPropertiesSql } from "./property-conflicts.ts"

/** When somebody would arrive and leave. */
export interface StayNights {
  readonly from: string
  readonly before: string
}

interface OfferedPropertiesInput {
  readonly operatorId: number
  readonly from: string | undefined
  readonly before: string | undefined
}

const readOfferedProperties = makeRowsReader(OfferedProperty)

const prepareOfferedProperties = (sql: SqlClient.SqlClient) =>
  inForms(sql, ({ operatorId, from, before }: Givens<OfferedPropertiesInput>) =>
    offeredPropertiesSql(sql, operatorId, from === undefined || before === undefined ? undefined : { from, before })
  )

/** Whether there can be a stay of such nights: of others nothing is looked up. */
const isPossibleStay = ({ from, before }: StayNights): boolean => {
  const nights = daysInRange(from, before) - 1
  return nights >= 1 && nights <= STAY_NIGHTS
}

/** The properties that a form offers to choose from. */
export class OfferedProperties extends Context.Service<
  OfferedProperties,
  {
    /** Returns the properties by title. With `nights` that a stay can have, each has its conflicts on those nights. */
    readonly of: (nights?: StayNights) => Effect.Effect<ReadonlyArray<OfferedProperty>, never, CurrentCaller>
  }
>()("latchkey/transports/console/queries/OfferedProperties") {
  static readonly layer = Layer.effect(
    OfferedProperties,
    Effect.map(SqlClient.SqlClient, (sql) => {
      const statement = prepareOfferedProperties(sql)
      return OfferedProperties.of({
        of: (nights) =>
          CurrentCaller.use(({ operatorId }) =>
            readOfferedProperties(
              statement(
                nights !== undefined && isPossibleStay(nights)
                  ? { operatorId, ...nights }
                  : { operatorId, from: undefined, before: undefined }
              )
            )
          )
      })
    })
  )
}
