import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { type RefusedSum, type TrailEntry, TrailLog } from "../../changes/TrailLog.ts"
import { BadRequest, NotFound } from "../../contract/errors.ts"
import { instantText } from "../../contract/time.ts"
import { AUDIT_DEFAULT, AUDIT_MAX } from "../../platform/limits.ts"
import { answer } from "./answer.ts"
import { instant } from "./instant.ts"

const RECORD = /^[a-z_]+:\S+$/

export const audit = Command.make(
  "audit",
  {
    operator: Flag.Int("operator").pipe(Flag.withDescription("operator_id")),
    record: Flag.String("record").pipe(
      Flag.withDescription(
        "Show only the changes of this record, such as reservation:5-ABC or task:12 (default: all records)"
      ),
      Flag.optional
    ),
    since: instant("since", "Show entries from this time on"),
    until: instant("until", "Show entries before this time"),
    limit: Flag.Int("limit").pipe(
      Flag.withDescription(`Changes to show, newest first, at most ${AUDIT_MAX} (default: ${AUDIT_DEFAULT})`),
      Flag.withDefault(AUDIT_DEFAULT)
    )
  },
  ({ operator, limit, ...given }) =>
    answer(
      "audit",
      Effect.gen(function* () {
        const log = yield* TrailLog
        const record = Option.getOrUndefined(given.record)
        const since = Option.getOrUndefined(given.since)
        const until = Option.getOrUndefined(given.until)
        const wrong = wrongIn({ record, since, until, limit })
        if (wrong !== undefined) return yield* new BadRequest({ message: wrong })
        if (!(yield* log.isKnown(operator))) {
          return yield* new NotFound({ message: `There is no operator ${operator}.` })
        }
        const wanted = { operatorId: operator, since, until }
        return {
          changes: (yield* log.changes({ ...wanted, record }, limit)).map(changeToAnswer),
          // What was refused touched no record.
          refused: record === undefined ? (yield* log.refused(wanted, limit)).map(refusedToAnswer) : []
        }
      }).pipe(Effect.provide(TrailLog.layer)),
      ({ changes, refused }) =>
        [
          ...(changes.length === 0 ? ["No changes."] : changes.map(changeInWords)),
          ...(refused.length === 0 ? [] : ["Rejected:", ...refused.map(refusedInWords)])
        ].join("\n")
    )
).pipe(
  Command.withDescription("Show the audit log of an operator: changes and rejected calls"),
  Command.withExamples([
    { command: "latchkey audit --operator 1 --record reservation:5-ABC", description: "Show all changes of one order" },
    {
      command: "latchkey audit --operator 1 --since 2027-05-07T10:00:00Z",
      description: "Show everything from that time on"
    }
  ])
)

interface Asked {
  readonly record: string | undefined
  readonly since: Date | undefined
  readonly until: Date | undefined
  readonly limit: number
}

const wrongIn = ({ record, since, until, limit }: Asked): string | undefined => {
  if (limit < 1 || limit > AUDIT_MAX) return `--limit: must be from 1 to ${AUDIT_MAX}.`
  if (record !== undefined && !RECORD.test(record)) return "--record: must look like reservation:5-ABC or task:12."
  return since !== undefined && until !== undefined && since >= until ? "--until: must be after --since." : undefined
}

const changeToAnswer = ({ at, ...change }: TrailEntry) => ({ at: instantText(at), ...change })

const refusedToAnswer = ({ first_hour, last_hour, ...refused }: RefusedSum) => ({
  ...refused,
  first_hour: instantText(first_hour),
  last_hour: instantText(last_hour)
})

/** Names are other people's texts: quoted, so that nothing in them is taken for ours or moves the cursor. */
const whoInWords = ({ account, application }: Pick<TrailEntry, "account" | "application">): string =>
  account === null
    ? application
    : `${account.name === null ? `account ${account.id}` : JSON.stringify(account.name)} with ${JSON.stringify(application)}`

const changeInWords = (change: ReturnType<typeof changeToAnswer>): string =>
  [
    change.at,
    whoInWords(change),
    change.operation,
    change.record,
    ...(change.fields.length === 0 ? [] : [change.fields.join(", ")]),
    ...(change.request_id === null ? [] : [change.request_id])
  ].join("  ")

const refusedInWords = (refused: ReturnType<typeof refusedToAnswer>): string =>
  [
    `  ${refused.times} ${refused.times === 1 ? "time" : "times"}`,
    String(refused.error_code),
    refused.operation,
    whoInWords(refused),
    `last in the hour from ${refused.last_hour}`
  ].join("  ")
