import { Context, DateTime, Effect, Layer, type Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { CurrentActor } from "../../contract/actor.ts"
import { makeDecoder } from "../../contract/decoder.ts"
import { type BadRequest, type Conflict, NotFound, type ValidationFailed } from "../../contract/errors.ts"
import { nameUpTo, trimName } from "../../contract/names.ts"
import { DICTIONARY_NAME_LENGTH } from "../../platform/limits.ts"
import { withChildSpan } from "../../platform/telemetry/spans.ts"
import { withOperatorLock } from "../operator-rows.ts"
import type { DictionaryName } from "./dictionaries.ts"
import {
  addEntry,
  type EntryChange,
  type EntryEdit,
  isUnchangedBuiltIn,
  listEntries,
  type OperatorDictionaryEntry,
  type OperatorEntryStates,
  updateEntry
} from "./operator-dictionary.ts"
import { makeOperatorDictionaryStore } from "./operator-dictionary-store.ts"

type Dictionaries = Readonly<Record<DictionaryName, ReadonlyArray<OperatorDictionaryEntry>>>

type InvalidNameError = BadRequest | ValidationFailed

type EntryChangeEffect<E> = Effect.Effect<OperatorDictionaryEntry, E | NotFound, CurrentActor>

const decodeName = makeDecoder(Schema.Struct({ name: nameUpTo(DICTIONARY_NAME_LENGTH) }))

const toOperatorNotFoundError = (id: number) => new NotFound({ message: `There is no operator ${id}.` })

/** Every account of the operator may change the dictionaries. A change without effect is not recorded. */
export class OperatorDictionaries extends Context.Service<
  OperatorDictionaries,
  {
    readonly list: (operatorId: number) => Effect.Effect<Dictionaries, NotFound>
    /**
     * Fails with Conflict if an active entry has the name, and with ValidationFailed if the name is invalid or {@link
     * DICTIONARY_ENTRIES_MAX} is reached.
     */
    readonly addEntry: (
      operatorId: number,
      dictionary: DictionaryName,
      name: string
    ) => EntryChangeEffect<InvalidNameError | Conflict>
    /**
     * Existing transactions keep a retired entry. Fails with Conflict if the name is in use, or if the service itself
     * uses an entry to be retired.
     */
    readonly updateEntry: (
      operatorId: number,
      dictionary: DictionaryName,
      edit: EntryEdit
    ) => EntryChangeEffect<InvalidNameError | Conflict>
  }
>()("latchkey/domain/money/OperatorDictionaries") {
  static readonly layer = Layer.effect(
    OperatorDictionaries,
    Effect.map(SqlClient.SqlClient, (sql) => {
      const { findEntries } = makeOperatorDictionaryStore(sql)
      const changeEntry = makeChangeEntry(sql)
      const parseName = (name: string) => Effect.map(decodeName({ name }), (decoded) => trimName(decoded.name))
      return OperatorDictionaries.of({
        list: (operatorId) =>
          withChildSpan("OwnDictionaries.list")(
            Effect.map(requireOperator(operatorId, findEntries(operatorId)), toDictionaries)
          ),
        addEntry: (operatorId, dictionary, name) =>
          withChildSpan("OwnDictionaries.add")(
            Effect.flatMap(parseName(name), (parsedName) =>
              changeEntry(operatorId, dictionary, (ownEntries) => addEntry(ownEntries, dictionary, parsedName))
            )
          ),
        updateEntry: (operatorId, dictionary, { id, name, retired }) =>
          withChildSpan("OwnDictionaries.update")(
            Effect.flatMap(name === undefined ? Effect.undefined : parseName(name), (parsedName) =>
              changeEntry(operatorId, dictionary, (ownEntries) =>
                updateEntry(ownEntries, dictionary, { id, name: parsedName, retired })
              )
            )
          )
      })
    })
  )
}

const toDictionaries = (ownEntries: OperatorEntryStates): Dictionaries => ({
  income_items: listEntries(ownEntries, "income_items"),
  expense_items: listEntries(ownEntries, "expense_items"),
  income_methods: listEntries(ownEntries, "income_methods"),
  expense_methods: listEntries(ownEntries, "expense_methods")
})

const requireOperator = (operatorId: number, ownEntries: Effect.Effect<OperatorEntryStates | undefined>) =>
  Effect.flatMap(ownEntries, (dictionaries) =>
    dictionaries === undefined ? toOperatorNotFoundError(operatorId) : Effect.succeed(dictionaries)
  )

/** The operator lock keeps the checks valid until the write. */
const makeChangeEntry = (sql: SqlClient.SqlClient) => {
  const { findEntries, upsertEntry, deleteEntry } = makeOperatorDictionaryStore(sql)
  const runWithLock = withOperatorLock(sql)
  const writeChange = Effect.fnUntraced(function* (
    operatorId: number,
    dictionary: DictionaryName,
    { entry, changes }: EntryChange
  ) {
    if (changes.length === 0) return entry
    const { id, name } = entry
    const retiredAt = entry.retired ? yield* DateTime.nowAsDate : null
    yield* isUnchangedBuiltIn(entry)
      ? deleteEntry({ operatorId, dictionary, id, name }, changes)
      : upsertEntry({ operatorId, dictionary, id, name, retiredAt }, changes)
    return entry
  })
  return <E>(
    operatorId: number,
    dictionary: DictionaryName,
    decide: (ownEntries: OperatorEntryStates) => Result.Result<EntryChange, E>
  ) =>
    runWithLock(
      operatorId,
      Effect.gen(function* () {
        const ownEntries = yield* requireOperator(operatorId, findEntries(operatorId))
        return yield* writeChange(operatorId, dictionary, yield* Effect.fromResult(decide(ownEntries)))
      })
    )
}
