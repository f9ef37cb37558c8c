// How well the knowledge base answers: entries and questions made for it, asked on an embedded database in memory through the
// service's own operations, worker and search. `node bench/answers.ts [--withheld] [file …]`: a file has {entries, questions};
// without one bench/answers/entries.json and questions.json, which nothing was tuned on, and where these are not there the sets
// that the rules were developed with. `--withheld` asks only what has an answer, each time with the entries that have it switched
// off: whatever is answered then is wrong.
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer, References, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { migrations } from "../migrations/index.ts"
import { PreparingQueue, preparationJobs } from "../src/domain/knowledge/preparing/preparation-jobs.ts"
import { KnowledgeAnswers } from "../src/domain/knowledge/search/KnowledgeAnswers.ts"
import { makeJobRunner } from "../src/jobs/job-runner.ts"
import { layerInMemory } from "../src/platform/database/embedded.ts"
import { migrate } from "../src/platform/database/migrate.ts"
import { callWith, layerInProcess } from "./in-process.ts"
import { BENCH_TOKEN, seedOperator } from "./operator.ts"

const Entry = Schema.Struct({
  key: Schema.String,
  title: Schema.String,
  contents: Schema.Array(Schema.Struct({ sub_title: Schema.String, text: Schema.String }))
})
const Question = Schema.Struct({
  language: Schema.String,
  question: Schema.String,
  answered_by: Schema.Array(Schema.String)
})
const Sets = Schema.Struct({ entries: Schema.Array(Entry), questions: Schema.Array(Question) })
type Sets = typeof Sets.Type

const STAY = "5-BENCH"
const WITHHELD = "--withheld"

/** Switches the entries of these keys off, and all others on. */
const withhold = (keys: ReadonlyMap<number, string>, answeredBy: ReadonlyArray<string>) => {
  const ids = Array.from(keys, ([id, key]) => (answeredBy.includes(key) ? id : -1))
  return Effect.flatMap(SqlClient.SqlClient, (sql) => sql`UPDATE knowledge_bases SET is_enable = id <> ALL (${ids})`)
}

/** Each question that has an answer, as if nobody had written it down. */
const unanswerable = (questions: Sets["questions"]): Sets["questions"] =>
  questions.filter(({ answered_by }) => answered_by.length > 0)

/** The guest of a stay that is accepted and not over. */
const checkedIn = (operatorId: number, propertyId: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      WITH entered AS (
        INSERT INTO orders (operator_id, reservation_code, channel_type, channel_id, status, currency, booked_at, created_at)
        VALUES (${operatorId}, ${STAY}, 'direct', 'BENCH', 'accepted', 'EUR', now(), now()) RETURNING operator_id, id
      ), stay AS (
        INSERT INTO stays (operator_id, order_id, stay_code, property_id, check_in_date, check_out_date)
        SELECT operator_id, id, ${STAY}, ${propertyId}, current_date, current_date + 3 FROM entered
        RETURNING operator_id, id, property_id, check_in_date
      )
      INSERT INTO calendar_days (operator_id, property_id, day, stay_id)
      SELECT operator_id, property_id, check_in_date + night, id FROM stay, generate_series(0, 2) night`
  )

const Created = Schema.Struct({ id: Schema.Int })

/** Writes the entries and prepares them; answers the key of each id. */
const written = Effect.fnUntraced(function* (entries: Sets["entries"]) {
  const keys = new Map<number, string>()
  for (const { key, title, contents } of entries) {
    const answered = yield* callWith(BENCH_TOKEN, "create_knowledge_base", {
      title,
      contents,
      is_enable: true,
      scope_property: { type: "all", ids: [-1] },
      scope_channel: { type: "all", channels: ["unlimited"] }
    })
    keys.set((yield* Schema.decodeUnknownEffect(Created)(answered)).id, key)
  }
  const sql = yield* SqlClient.SqlClient
  const preparing = yield* makeJobRunner(preparationJobs)
  const waiting = sql`SELECT FROM knowledge_bases WHERE process_status <> 'done'`
  while ((yield* waiting).length > 0) {
    yield* preparing.claimDue
    yield* preparing.awaitIdle
  }
  return keys
})

type Outcome = "right" | "rightly silent" | "wrong" | "missed"

const outcomeOf = (answeredBy: ReadonlyArray<string>, key: string | undefined): Outcome => {
  if (key === undefined) return answeredBy.length === 0 ? "rightly silent" : "missed"
  return answeredBy.includes(key) ? "right" : "wrong"
}

const measured = ({ entries, questions }: Sets) =>
  Effect.gen(function* () {
    yield* migrate(migrations)
    const { operatorId, propertyId } = yield* seedOperator("Answers", BENCH_TOKEN)
    yield* checkedIn(operatorId, propertyId)
    const keys = yield* written(entries)
    const { ask } = yield* KnowledgeAnswers
    const withheld = process.argv.includes(WITHHELD)
    return yield* Effect.forEach(withheld ? unanswerable(questions) : questions, (asked) =>
      Effect.gen(function* () {
        if (withheld) yield* withhold(keys, asked.answered_by)
        const [first] = yield* ask(operatorId, { stayCode: STAY }, [asked.question])
        const key = first === undefined ? undefined : keys.get(first.knowledge_base_id)
        const answered_by = withheld ? [] : asked.answered_by
        return { ...asked, answered_by, key, text: first?.text, outcome: outcomeOf(answered_by, key) }
      })
    )
  }).pipe(
    Effect.provide(Layer.mergeAll(layerInProcess, KnowledgeAnswers.layer, PreparingQueue.layer)),
    Effect.provide(layerInMemory()),
    Effect.provideService(References.MinimumLogLevel, "Error"),
    Effect.scoped
  )

type Asked = Effect.Success<ReturnType<typeof measured>>

const NAMES: Readonly<Record<string, string>> = { en: "English", zh: "Chinese", es: "Spanish", de: "German" }

const row = (name: string, asked: Asked): string => {
  const count = (outcome: Outcome) => asked.filter((each) => each.outcome === outcome).length
  const answerable = asked.filter(({ answered_by }) => answered_by.length > 0).length
  const cells = [
    name,
    asked.length,
    answerable,
    count("right"),
    count("rightly silent"),
    count("wrong"),
    count("missed")
  ]
  return `| ${cells.join(" | ")} |`
}

const percent = (part: number, whole: number): string => `${whole === 0 ? 0 : ((100 * part) / whole).toFixed(1)} %`

const print = (name: string, asked: Asked) => {
  const wrong = asked.filter(({ outcome }) => outcome === "wrong").length
  const right = asked.filter(({ outcome }) => outcome === "right").length
  const answerable = asked.filter(({ answered_by }) => answered_by.length > 0).length
  console.log(`\n${name}\n`)
  console.log(
    "| language | asked | with an answer | rightly answered | rightly silent | wrongly | silent, though answerable |"
  )
  console.log("| --- | --- | --- | --- | --- | --- | --- |")
  for (const language of new Set(asked.map((each) => each.language))) {
    console.log(
      row(
        NAMES[language] ?? language,
        asked.filter((each) => each.language === language)
      )
    )
  }
  console.log(row("all", asked))
  console.log(
    `\nWrongly ${percent(wrong, asked.length)} of all; rightly ${percent(right, answerable)} of those with an answer.\n`
  )
  for (const { outcome, language, question, key, text } of asked) {
    if (outcome === "wrong" || outcome === "missed") {
      console.log(`${outcome}: [${language}] ${question}${key === undefined ? "" : ` → ${key}: ${text}`}`)
    }
  }
}

const here = join(import.meta.dirname, "answers")
const json = (file: string): unknown => JSON.parse(readFileSync(file, "utf8"))
const heldOut = ["entries.json", "questions.json"].map((name) => join(here, name))

/** What is asked: files of the command line, else the set that nothing was tuned on where it is there. */
const sources = (): ReadonlyArray<readonly [string, unknown]> => {
  const files = process.argv.slice(2).filter((each) => each !== WITHHELD)
  if (files.length > 0) return files.map((file) => [file, json(file)])
  const [entries, questions] = heldOut
  if (entries !== undefined && questions !== undefined && heldOut.every(existsSync)) {
    return [["bench/answers", { entries: json(entries), questions: json(questions) }]]
  }
  return [
    "development.json",
    "development-2.json",
    "development-3.json",
    "development-4.json",
    "development-5.json",
    "development-6.json",
    "development-7.json"
  ].map((name) => [name, json(join(here, name))])
}

for (const [name, set] of sources()) {
  const asked = await Effect.runPromise(Effect.flatMap(Schema.decodeUnknownEffect(Sets)(set), measured))
  print(name, asked)
}
