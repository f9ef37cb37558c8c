import { Context, DateTime, Effect, Layer, type Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Acting } from "../../contract/acting.ts"
import { decoderOf } from "../../contract/decode.ts"
import { type BadRequest, type Conflict, NotFound, type ValidationFailed } from "../../contract/errors.ts"
import { nameOf, nameUpTo } from "../../contract/names.ts"
import { DICTIONARY_NAME } from "../../platform/limits.ts"
import { inSpan } from "../../platform/telemetry/spans.ts"
import { inTurn } from "../own-row.ts"
import type { Dictionary } from "./dictionaries.ts"
import {
  added,
  type Entry,
  entriesOf,
  goesWithoutSaying,
  type OwnDictionary,
  renamed,
  restored,
  retired,
  type Said
} from "./own-dictionary.ts"
import { makeOwnDictionaryStore } from "./own-dictionary-store.ts"

/** The entries of every dictionary, retired ones too, by id. */
export type Dictionaries = Readonly<Record<Dictionary, ReadonlyArray<Entry>>>

type Unreadable = BadRequest | ValidationFailed

/** The entry as it is then. */
type Changed<E> = Effect.Effect<Entry, E | NotFound, Acting>

const readName = decoderOf(Schema.Struct({ name: nameUpTo(DICTIONARY_NAME) }))

const noSuchOperator = (id: number) => new NotFound({ message: `There is no operator ${id}.` })

/**
 * What an operator calls its categories and payment methods, and which of them can be chosen. Every account of the operator may
 * change it. What is so already is not changed again, and leaves no trail.
 */
export class OwnDictionaries extends Context.Service<
  OwnDictionaries,
  {
    readonly list: (operatorId: number) => Effect.Effect<Dictionaries, NotFound>
    /** Conflict: an entry that can be chosen has the name. ValidationFailed also where there are {@link DICTIONARY_ENTRIES}. */
    readonly add: (operatorId: number, dictionary: Dictionary, name: string) => Changed<Unreadable | Conflict>
    /** Also of a built-in entry, and of what is booked under it; a built-in one's own name is no other name. */
    readonly rename: (
      operatorId: number,
      dictionary: Dictionary,
      id: number,
      name: string
    ) => Changed<Unreadable | Conflict>
    /** Nobody chooses it any more; what is booked under it stays so. Conflict: the service itself books with it. */
    readonly retire: (operatorId: number, dictionary: Dictionary, id: number) => Changed<Conflict>
    /** Conflict: meanwhile another entry has its name. */
    readonly restore: (operatorId: number, dictionary: Dictionary, id: number) => Changed<Conflict>
  }
>()("latchkey/resources/OwnDictionaries") {
  static readonly layer = Layer.effect(
    OwnDictionaries,
    Effect.map(SqlClient.SqlClient, (sql) => {
      const { find } = makeOwnDictionaryStore(sql)
      const change = changing(sql)
      const named = (name: string) => Effect.map(readName({ name }), (read) => nameOf(read.name))
      return OwnDictionaries.of({
        list: (operatorId) =>
          inSpan("OwnDictionaries.list")(Effect.map(orNotFound(operatorId, find(operatorId)), everyEntry)),
        add: (operatorId, dictionary, name) =>
          inSpan("OwnDictionaries.add")(
            Effect.flatMap(named(name), (given) =>
              change(operatorId, dictionary, (own) => added(own, dictionary, given))
            )
          ),
        rename: (operatorId, dictionary, id, name) =>
          inSpan("OwnDictionaries.rename")(
            Effect.flatMap(named(name), (given) =>
              change(operatorId, dictionary, (own) => renamed(own, dictionary, { id, name: given }))
            )
          ),
        retire: (operatorId, dictionary, id) =>
          inSpan("OwnDictionaries.retire")(change(operatorId, dictionary, (own) => retired(own, dictionary, id))),
        restore: (operatorId, dictionary, id) =>
          inSpan("OwnDictionaries.restore")(change(operatorId, dictionary, (own) => restored(own, dictionary, id)))
      })
    })
  )
}

const everyEntry = (own: OwnDictionary): Dictionaries => ({
  income_items: entriesOf(own, "income_items"),
  expense_items: entriesOf(own, "expense_items"),
  income_methods: entriesOf(own, "income_methods"),
  expense_methods: entriesOf(own, "expense_methods")
})

const orNotFound = (operatorId: number, own: Effect.Effect<OwnDictionary | undefined>) =>
  Effect.flatMap(own, (found) => (found === undefined ? noSuchOperator(operatorId) : Effect.succeed(found)))

/** One change of an operator's after the other: what the rules have read, ids and names and how many there are, is still so. */
const changing = (sql: SqlClient.SqlClient) => {
  const { find, say, unsay } = makeOwnDictionaryStore(sql)
  const alone = inTurn(sql)
  const written = Effect.fnUntraced(function* (operatorId: number, dictionary: Dictionary, { entry, changes }: Said) {
    if (changes === "nothing") return entry
    const { id, name } = entry
    const retiredAt = entry.retired ? yield* DateTime.nowAsDate : null
    yield* goesWithoutSaying(entry)
      ? unsay({ operatorId, dictionary, id }, changes)
      : say({ operatorId, dictionary, id, name, retiredAt }, changes)
    return entry
  })
  return <E>(operatorId: number, dictionary: Dictionary, judged: (own: OwnDictionary) => Result.Result<Said, E>) =>
    alone(
      operatorId,
      Effect.gen(function* () {
        const own = yield* orNotFound(operatorId, find(operatorId))
        return yield* written(operatorId, dictionary, yield* Effect.fromResult(judged(own)))
      })
    )
}
