import { Context, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Acting } from "../../../contract/acting.ts"
import { asRead } from "../../../platform/database/optimistic.ts"
import { type HeardVersion, heardVersion, SaidRefused, type Speaking } from "../../channels/port/heard.ts"
import type { MessageSaid, OrderSaid, ThreadSaid } from "../../channels/port/said.ts"
import { adopt, enter, recognized } from "./messages-said.ts"
import { hearThread, threadOfOrder } from "./threads-said.ts"

/** What channels say of threads and of what is written in them. Each change is in the trail. */
export class Conversations extends Context.Service<
  Conversations,
  {
    /** A thread of the account that speaks, as its channel says it is. */
    readonly threadSaid: (
      speaker: Speaking,
      said: ThreadSaid,
      at: Date
    ) => Effect.Effect<HeardVersion, SaidRefused, Acting>
    /**
     * A message in a thread of the account, which is made where it is not known. What was sent from here, and comes back, is
     * no new message: it has arrived.
     */
    readonly messageSaid: (speaker: Speaking, said: MessageSaid) => Effect.Effect<HeardVersion, SaidRefused, Acting>
    /** What callers name the conversation of a thread by; one that is not known is made, of the order's booker. */
    readonly ofOrder: (
      speaker: Speaking,
      threadId: string,
      booker: OrderSaid["booker"],
      at: Date
    ) => Effect.Effect<string, never, Acting>
  }
>()("latchkey/resources/Conversations") {
  static readonly layer = Layer.effect(
    Conversations,
    Effect.map(SqlClient.SqlClient, (sql) =>
      Conversations.of({ threadSaid: hearingThreads(sql), messageSaid: hearingMessages(sql), ofOrder: naming(sql) })
    )
  )
}

/** How often what is heard is looked at again because the same is being heard elsewhere, or what was sent settles. */
const HEARD_ATTEMPTS = 10

/** Each attempt that came too late sees what it was too late for: so many in a row do not happen. */
const unlessHeardElsewhere = asRead(HEARD_ATTEMPTS, "busy" as const)

const patiently = <A, E, R>(attempt: Effect.Effect<A | undefined, E, R>): Effect.Effect<A, E, R> =>
  Effect.catchIf(
    unlessHeardElsewhere(attempt),
    (error): error is "busy" => error === "busy",
    () => Effect.die(new Error("another worker keeps handling the same channel event"))
  )

const noSuchAccount = new SaidRefused({ reason: "there is no such account" })

const hearingThreads = (sql: SqlClient.SqlClient): Conversations["Service"]["threadSaid"] => {
  const heard = hearThread(sql)
  return (speaker, said, at) => {
    if (asksForNoNight(said)) return noNight
    return patiently(
      Effect.gen(function* () {
        const { speaker_known, applied, last_version } = yield* heard(speaker, said, at)
        if (!speaker_known) return yield* noSuchAccount
        if (applied) return "applied"
        const become = heardVersion(last_version ?? 0, said.version)
        // Another version was faster than this one after it had looked.
        return become === "applied" ? undefined : become
      })
    )
  }
}

/** The texts are dates, which are in the order of their characters. */
const asksForNoNight = ({ inquiry }: ThreadSaid): boolean =>
  inquiry !== undefined && inquiry !== null && inquiry.check_out_date <= inquiry.check_in_date

const noNight = Effect.fail(new SaidRefused({ reason: "inquiry.check_out_date: must be after inquiry.check_in_date" }))

const hearingMessages = (sql: SqlClient.SqlClient): Conversations["Service"]["messageSaid"] => {
  const found = recognized(sql)
  const entered = enter(sql)
  const adopted = adopt(sql)
  return (speaker, said) =>
    patiently(
      Effect.gen(function* () {
        const now = yield* DateTime.nowAsDate
        const { speaker_known, is_known, ours } = yield* found(speaker, said, now)
        if (!speaker_known) return yield* noSuchAccount
        if (is_known) return "known"
        const done =
          ours === null ? yield* entered(speaker, said, now) : yield* adopted(speaker.operatorId, ours, said, now)
        return done === undefined ? undefined : "applied"
      })
    )
}

const naming = (sql: SqlClient.SqlClient): Conversations["Service"]["ofOrder"] => {
  const named = threadOfOrder(sql)
  return (speaker, threadId, booker, at) => patiently(named(speaker, threadId, booker, at))
}
