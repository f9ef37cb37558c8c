import { BACKLOG_COUNT_LIMIT } from "../../jobs/backlog-statements.ts"
import { MIN_SERVER_VERSION } from "../../platform/database/server-check.ts"
import type { BacklogStatus } from "../../service/backlog.ts"
import { errorFinding, type Finding, okFinding, warningFinding } from "./finding.ts"

/** A larger difference affects signatures and rate-limit windows. */
export const MAX_CLOCK_DIFFERENCE_MS = 2_000
/** From this age of the oldest due work on, the finding is a warning or an error. */
export const QUEUE_SLOW_SECONDS = 60
export const QUEUE_STUCK_SECONDS = 600
/** Below this free space, the finding is a warning or an error. */
export const DISK_LOW_BYTES = 1024 ** 3
export const DISK_FULL_BYTES = 100 * 1024 ** 2
const MIN_NODE_VERSION = 24
/** PostgreSQL reserves these for superusers. */
const RESERVED_CONNECTIONS = 3

/** The clock showed `remote` between `before` and `after` of the local clock. All are milliseconds. */
export const clockFinding = (owner: string, { before, after, remote, precision = 0 }: ClockReading): Finding => {
  const check = `clock of ${owner}`
  const differenceMs = Math.max(0, before - (remote + precision), remote - after)
  if (differenceMs <= MAX_CLOCK_DIFFERENCE_MS) return okFinding(check, `${differenceMs} ms from this machine's`)
  return warningFinding(
    check,
    `${(differenceMs / 1000).toFixed(1)} s ${remote < before ? "behind" : "ahead of"} this machine's`,
    "synchronize both clocks with NTP (timedatectl set-ntp true)"
  )
}

interface ClockReading {
  readonly before: number
  readonly after: number
  readonly remote: number
  readonly precision?: number
}

const formatMebibytes = (bytes: number): string => `${Math.floor(bytes / 1024 ** 2)} MiB`

export const diskFinding = (variable: string, freeBytes: number): Finding => {
  const check = `disk of ${variable}`
  const found = `${formatMebibytes(freeBytes)} free`
  const advice = `free space there, or move ${variable} to a larger disk`
  if (freeBytes < DISK_FULL_BYTES) return errorFinding(check, found, advice)
  return freeBytes < DISK_LOW_BYTES ? warningFinding(check, found, advice) : okFinding(check, found)
}

export const queueFinding = ({ kind, due, oldestSeconds }: BacklogStatus): Finding => {
  const check = `queue of ${kind}`
  if (oldestSeconds === null) return okFinding(check, "nothing is due")
  const seconds = Math.floor(oldestSeconds)
  const countText = due > BACKLOG_COUNT_LIMIT ? `more than ${BACKLOG_COUNT_LIMIT}` : String(due)
  const found = `${countText} due, the oldest for ${seconds} s`
  const advice = "check that a process with background work runs, and read its log"
  if (seconds >= QUEUE_STUCK_SECONDS) return errorFinding(check, found, advice)
  return seconds >= QUEUE_SLOW_SECONDS ? warningFinding(check, found, advice) : okFinding(check, found)
}

/** 150004 is PostgreSQL 15.4. */
export const postgresFinding = (version: number): Finding => {
  const major = Math.floor(version / 10_000)
  const found = `PostgreSQL ${major}.${version % 10_000}`
  return major >= MIN_SERVER_VERSION
    ? okFinding("version of the database", found)
    : errorFinding("version of the database", found, `upgrade the server to PostgreSQL ${MIN_SERVER_VERSION} or newer`)
}

export const nodeFinding = (version: string): Finding =>
  Number.parseInt(version.replace(/^v/, ""), 10) >= MIN_NODE_VERSION
    ? okFinding("version of Node", version)
    : errorFinding("version of Node", version, `run Node ${MIN_NODE_VERSION} or newer`)

/** `unknownCount` counts applied migrations of newer releases. */
export const schemaFinding = (pending: ReadonlyArray<string>, unknownCount: number): Finding => {
  if (unknownCount > 0) {
    return warningFinding(
      "schema",
      `a newer release applied ${unknownCount} more migrations`,
      "run the newer release here too"
    )
  }
  return pending.length === 0
    ? okFinding("schema", "up to date")
    : errorFinding("schema", `${pending.length} pending migrations, the first is ${pending[0]}`, "run latchkey migrate")
}

export const connectionsFinding = (maxConnections: number, workers: number, connectionsPerWorker: number): Finding => {
  const needed = workers * connectionsPerWorker
  const found = `${workers} workers may open ${needed} connections; max_connections allows ${maxConnections}`
  return needed <= maxConnections - RESERVED_CONNECTIONS
    ? okFinding("connections", found)
    : warningFinding(
        "connections",
        found,
        `set max_connections to ${needed + RESERVED_CONNECTIONS} or more, or run fewer workers`
      )
}

interface SecretKeyStatus {
  readonly isSet: boolean
  readonly isDemo: boolean
  readonly missingKeyIds: ReadonlyArray<string>
  /** Secrets that are encrypted with a former key, or not at all. */
  readonly outdatedCount: number
}

export const secretsFinding = ({ isSet, isDemo, missingKeyIds, outdatedCount }: SecretKeyStatus): Finding => {
  const check = "SECRET_KEY"
  if (missingKeyIds.length > 0) {
    return errorFinding(
      check,
      `lacks ${missingKeyIds.join(", ")}, which secrets of the database need`,
      "add the key with that id from a former value of SECRET_KEY"
    )
  }
  if (!isSet && isDemo) return okFinding(check, "is not set; the demo does not need it")
  if (!isSet) {
    return warningFinding(
      check,
      "is not set: the database stores signing secrets and calendar addresses unencrypted",
      "set it to the output of latchkey secret new, restart, then run latchkey secret rotate"
    )
  }
  return outdatedCount === 0
    ? okFinding(check, "decrypts every secret, and all use its first key")
    : warningFinding(check, `${outdatedCount} secrets do not use its first key`, "run latchkey secret rotate")
}

export const deadLettersFinding = (count: number): Finding =>
  count === 0
    ? okFinding("dead letters", "none in the last day")
    : warningFinding(
        "dead letters",
        `${count} deliveries became dead letters in the last day`,
        "run latchkey webhook deliveries --dead, then latchkey webhook replay --dead"
      )

export const pausedWebhooksFinding = (count: number): Finding =>
  count === 0
    ? okFinding("receivers", "none is paused")
    : warningFinding(
        "receivers",
        `${count} webhooks are paused; the paused_reason of each says why`,
        "ask their hosts to update the webhook, which ends the pause"
      )
