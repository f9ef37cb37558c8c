import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { type AuditEntry, AuditLog, type FailedCallSummary } from "../../changes/AuditLog.ts"
import { BadRequest } from "../../contract/errors.ts"
import { formatUtcInstant } from "../../contract/time.ts"
import { AUDIT_DEFAULT, AUDIT_MAX } from "../../platform/limits.ts"
import { toUnknownOperatorError } from "./command-failure.ts"
import { runCommand } from "./command-runner.ts"
import { instantFlag } from "./instant-flag.ts"

const RECORD_PATTERN = /^[a-z_]+:\S+$/

export const auditCommand = Command.make(
  "audit",
  {
    operator: Flag.Int("operator").pipe(Flag.withDescription("operator_id")),
    record: Flag.String("record").pipe(
      Flag.withDescription(
        "Show only the changes of this record, such as reservation:5-ABC or task:12 (default: all records)"
      ),
      Flag.optional
    ),
    since: instantFlag("since", "Show entries from this time on"),
    until: instantFlag("until", "Show entries before this time"),
    limit: Flag.Int("limit").pipe(
      Flag.withDescription(`Changes to show, newest first, at most ${AUDIT_MAX} (default: ${AUDIT_DEFAULT})`),
      Flag.withDefault(AUDIT_DEFAULT)
    )
  },
  ({ operator, limit, ...options }) =>
    runCommand(
      "audit",
      Effect.gen(function* () {
        const log = yield* AuditLog
        const record = Option.getOrUndefined(options.record)
        const since = Option.getOrUndefined(options.since)
        const until = Option.getOrUndefined(options.until)
        const problem = findOptionProblem({ record, since, until, limit })
        if (problem !== undefined) return yield* new BadRequest({ message: problem })
        if (!(yield* log.operatorExists(operator))) {
          return yield* toUnknownOperatorError(operator)
        }
        const filter = { operatorId: operator, since, until }
        return {
          changes: (yield* log.listEntries({ ...filter, record }, limit)).map(toChangeOutput),
          // Rejected calls have no record, so this filter excludes them.
          refused: record === undefined ? (yield* log.listFailedCalls(filter, limit)).map(toFailedCallOutput) : []
        }
      }).pipe(Effect.provide(AuditLog.layer)),
      ({ changes, refused }) =>
        [
          ...(changes.length === 0 ? ["No changes."] : changes.map(formatChange)),
          ...(refused.length === 0 ? [] : ["Rejected:", ...refused.map(formatFailedCall)])
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

interface AuditOptions {
  readonly record: string | undefined
  readonly since: Date | undefined
  readonly until: Date | undefined
  readonly limit: number
}

const findOptionProblem = ({ record, since, until, limit }: AuditOptions): string | undefined => {
  if (limit < 1 || limit > AUDIT_MAX) return `--limit: must be from 1 to ${AUDIT_MAX}.`
  if (record !== undefined && !RECORD_PATTERN.test(record))
    return "--record: must look like reservation:5-ABC or task:12."
  return since !== undefined && until !== undefined && since >= until ? "--until: must be after --since." : undefined
}

const toChangeOutput = ({ at, ...change }: AuditEntry) => ({ at: formatUtcInstant(at), ...change })

const toFailedCallOutput = ({ first_hour, last_hour, ...refusal }: FailedCallSummary) => ({
  ...refusal,
  first_hour: formatUtcInstant(first_hour),
  last_hour: formatUtcInstant(last_hour)
})

/** `JSON.stringify` keeps control characters away from the terminal. */
const formatActor = ({ account, application }: Pick<AuditEntry, "account" | "application">): string =>
  account === null
    ? application
    : `${account.name === null ? `account ${account.id}` : JSON.stringify(account.name)} with ${JSON.stringify(application)}`

const formatChange = (change: ReturnType<typeof toChangeOutput>): string =>
  [
    change.at,
    formatActor(change),
    change.operation,
    change.record,
    ...(change.fields.length === 0 ? [] : [change.fields.join(", ")]),
    ...(change.request_id === null ? [] : [change.request_id])
  ].join("  ")

const formatFailedCall = (refusal: ReturnType<typeof toFailedCallOutput>): string =>
  [
    `  ${refusal.times} ${refusal.times === 1 ? "time" : "times"}`,
    String(refusal.error_code),
    refusal.operation,
    formatActor(refusal),
    `last in the hour from ${refusal.last_hour}`
  ].join("  ")
