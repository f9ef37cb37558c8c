import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Acting } from "../../../contract/acting.ts"
import { awayWhileActing } from "../../../contract/away-from-place.ts"
import { Conflict, NotFound, type ValidationFailed } from "../../../contract/errors.ts"
import { WakeUp } from "../../../jobs/WakeUp.ts"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { onlyRowOf } from "../../../platform/database/rows.ts"
import { CALENDARS_FETCHED_NOW } from "../../../platform/limits.ts"
import type { OwnRow } from "../../own-row.ts"
import { Outbound } from "../../webhooks/deliveries/Outbound.ts"
import type { Acceptance } from "./acceptance.ts"
import { type AddedCalendar, type Fetched, ImportedCalendars } from "./ImportedCalendars.ts"
import type { CalendarSettings } from "./settings.ts"

const noSuchProperty = new NotFound({ message: "property: there is no such property." })
const noSuchCalendar = new NotFound({ message: "There is no such calendar." })

/** Seconds in which a fetch is over. */
const RETRY_SECONDS = 60

const oneAtATime = new Conflict({
  message: "A calendar is being fetched; try again afterwards.",
  retryAfter: RETRY_SECONDS
})

const readOwn = onlyRowOf(Schema.Struct({ own: Schema.Boolean }))

/** Whether the operator has such a row, asked before what takes ids of anybody. */
const owning = (sql: SqlClient.SqlClient, table: "properties" | "imported_calendars", none: NotFound) => {
  const statement = inForms(
    sql,
    ({ operatorId, id }: Givens<OwnRow>) =>
      sql`SELECT EXISTS (SELECT FROM ${sql(table)} WHERE operator_id = ${operatorId} AND id = ${id}) AS own`
  )
  return (operatorId: number, id: number): Effect.Effect<void, NotFound> =>
    Effect.flatMap(readOwn(statement({ operatorId, id })), ({ own }) => (own ? Effect.void : Effect.fail(none)))
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [calendars, outbound, wakeUp] = [yield* ImportedCalendars, yield* Outbound, yield* WakeUp]
  const ownProperty = owning(sql, "properties", noSuchProperty)
  const ownCalendar = owning(sql, "imported_calendars", noSuchCalendar)
  /** Whose calendars are being fetched for somebody who waits for it. */
  const underWay = new Set<number>()

  const fetched = (id: number) =>
    awayWhileActing(
      calendars.fetch(id).pipe(Effect.provideService(Outbound, outbound), Effect.provideService(WakeUp, wakeUp))
    )

  const begun = (operatorId: number) =>
    Effect.suspend(() => {
      if (underWay.has(operatorId) || underWay.size >= CALENDARS_FETCHED_NOW) return Effect.fail(oneAtATime)
      underWay.add(operatorId)
      return Effect.void
    })

  return HostCalendars.of({
    add: (operatorId, propertyId, url, settings) =>
      Effect.andThen(ownProperty(operatorId, propertyId), calendars.add(propertyId, url, settings)),
    update: (operatorId, id, settings) => Effect.andThen(ownCalendar(operatorId, id), calendars.update(id, settings)),
    accept: (operatorId, id, seen) =>
      Effect.andThen(
        ownCalendar(operatorId, id),
        calendars.accept(id, seen).pipe(Effect.provideService(WakeUp, wakeUp))
      ),
    remove: (operatorId, id) => Effect.andThen(ownCalendar(operatorId, id), calendars.remove(id)),
    fetch: (operatorId, id) =>
      Effect.andThen(
        ownCalendar(operatorId, id),
        Effect.acquireUseRelease(
          begun(operatorId),
          () => fetched(id),
          () => Effect.sync(() => underWay.delete(operatorId))
        )
      )
  })
})

/**
 * Calendars of elsewhere as their host has them in hand: of those of others it knows nothing. Takes no place; who shows a page does,
 * and has it back when a calendar was fetched.
 */
export class HostCalendars extends Context.Service<
  HostCalendars,
  {
    readonly add: (
      operatorId: number,
      propertyId: number,
      url: string,
      settings?: CalendarSettings
    ) => Effect.Effect<AddedCalendar, NotFound | ValidationFailed, Acting>
    readonly update: (
      operatorId: number,
      id: number,
      settings: CalendarSettings
    ) => Effect.Effect<void, NotFound, Acting>
    /** Accepts the feed with the digest `seen` as it was read. */
    readonly accept: (
      operatorId: number,
      id: number,
      seen: string
    ) => Effect.Effect<Acceptance, NotFound | Conflict, Acting>
    readonly remove: (operatorId: number, id: number) => Effect.Effect<void, NotFound | Conflict, Acting>
    /** Fetches it now; one of an operator's at a time in a process. */
    readonly fetch: (operatorId: number, id: number) => Effect.Effect<Fetched, NotFound | Conflict, Acting>
  }
>()("latchkey/resources/HostCalendars") {
  static readonly layer: Layer.Layer<HostCalendars, never, SqlClient.SqlClient | Outbound | WakeUp> = Layer.effect(
    HostCalendars,
    make
  ).pipe(Layer.provide(ImportedCalendars.layer))
}
