import {
  defineCounter,
  defineGauge,
  defineHistogram,
  defineOutcomeCounter,
  type GaugeAggregation,
  type MetricDefinition
} from "./metric-family.ts"

// All metrics of the service. `maxLabelSets` bounds the series of each. No label names an operator, a token, a property
// or other input of callers.

/** Series of all metrics together; a histogram bucket counts as one. */
export const MAX_SERIES = 2_800

/** OpenTelemetry's bounds for request durations, in seconds. */
const REQUEST_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
/** Few bounds, because every operation has these series. */
const CALL_BOUNDS = [0.01, 0.05, 0.25, 1, 5]
const STATEMENT_BOUNDS = [0.001, 0.005, 0.025, 0.1, 0.5, 2, 10]
const WAIT_BOUNDS = [0.001, 0.01, 0.1, 1, 5]

export const requestDuration = defineHistogram({
  name: "http.server.request.duration",
  unit: "s",
  labels: ["door"],
  maxLabelSets: 4,
  bounds: REQUEST_BOUNDS,
  meaning: "Duration of calls, from receipt to response, by transport"
})
export const callDuration = defineHistogram({
  name: "latchkey.call.duration",
  unit: "s",
  labels: ["operation"],
  maxLabelSets: 140,
  bounds: CALL_BOUNDS,
  meaning: "Duration of calls by operation; unmatched: no operation was found"
})
export const calls = defineCounter({
  name: "latchkey.calls",
  unit: "{call}",
  labels: ["operation", "error_code"],
  maxLabelSets: 1_200,
  meaning: "Calls with a response, by operation and error_code"
})
export const rateWindowRejections = defineCounter({
  name: "latchkey.windows.refused",
  unit: "{refusal}",
  labels: ["scope"],
  maxLabelSets: 16,
  meaning: "Calls that a rate-limit window rejected, by its scope"
})
export const anonymousFailedCalls = defineCounter({
  name: "latchkey_refusals_of_nobody",
  unit: "{refusal}",
  meaning: "Calls with an unknown token, and sign-ins without an account"
})

// Metrics keep their older names, such as `places` for permits, because dashboards and alerts use them.

export const permitsLimit = defineGauge({
  name: "latchkey.places.limit",
  unit: "{place}",
  labels: ["of"],
  maxLabelSets: 4,
  aggregation: "sum",
  meaning:
    "Concurrency permits for calls with a token (operators), without one (strangers) and for console pages (console)"
})
export const permitsUsed = defineGauge({
  name: "latchkey.places.used",
  unit: "{place}",
  labels: ["of"],
  maxLabelSets: 4,
  aggregation: "sum",
  meaning: "Concurrency permits in use"
})
export const queuedCalls = defineGauge({
  name: "latchkey.places.waiting",
  unit: "{call}",
  labels: ["of"],
  maxLabelSets: 4,
  aggregation: "sum",
  meaning: "Calls in the queue for a concurrency permit"
})
export const permitWaitDuration = defineHistogram({
  name: "latchkey.places.wait.duration",
  unit: "s",
  labels: ["of"],
  maxLabelSets: 4,
  bounds: WAIT_BOUNDS,
  meaning: "Time that queued calls waited for a concurrency permit, including calls that got none"
})
export const permitRejections = defineCounter({
  name: "latchkey.places.refused",
  unit: "{call}",
  labels: ["of", "why"],
  maxLabelSets: 10,
  meaning:
    "Calls without a concurrency permit: too_many calls of their operator were queued, they waited too_long, or they were rejected at once (overloaded)"
})

export const statementDuration = defineHistogram({
  name: "db.client.operation.duration",
  unit: "s",
  labels: ["pool"],
  maxLabelSets: 3,
  bounds: STATEMENT_BOUNDS,
  meaning: "Duration of statements, including the wait for a connection, of requests and background work"
})
export const statementsFailed = defineCounter({
  name: "latchkey.statements.failed",
  unit: "{statement}",
  labels: ["pool", "error_type"],
  maxLabelSets: 24,
  meaning: "Failed statements; UniqueViolation and ConstraintError usually come from callers"
})
export const connectionsMax = defineGauge({
  name: "db.client.connection.max",
  unit: "{connection}",
  labels: ["pool"],
  maxLabelSets: 3,
  aggregation: "sum",
  meaning: "Most statements at the same time"
})
export const connectionsUsed = defineGauge({
  name: "db.client.connection.count",
  unit: "{connection}",
  labels: ["pool", "state"],
  maxLabelSets: 3,
  aggregation: "sum",
  meaning: "Statements that run now"
})
export const connectionsPending = defineGauge({
  name: "db.client.connection.pending_requests",
  unit: "{request}",
  labels: ["pool"],
  maxLabelSets: 3,
  aggregation: "sum",
  meaning: "Statements that wait for a connection"
})
export const databaseUp = defineGauge({
  name: "latchkey.database.up",
  unit: "",
  aggregation: "min",
  meaning: "1 if the database responded to the last check, otherwise 0"
})
export const redisUp = defineGauge({
  name: "latchkey.redis.up",
  unit: "",
  aggregation: "min",
  meaning: "1 if Redis counts the rate-limit windows; 0 if each process counts its own. Only with REDIS_URL"
})

export const backlogDue = defineGauge({
  name: "latchkey.backlog.due",
  unit: "{work}",
  labels: ["kind"],
  maxLabelSets: 14,
  aggregation: "max",
  meaning: "Due jobs that no worker has claimed, of all processes, by kind; 10001 means more than 10,000"
})
export const backlogAge = defineGauge({
  name: "latchkey.backlog.oldest.age",
  unit: "s",
  labels: ["kind"],
  maxLabelSets: 14,
  aggregation: "max",
  meaning: "Age of the oldest due job; 0 if there is none"
})
export const backgroundFailures = defineCounter({
  name: "latchkey.background.failures",
  unit: "{failure}",
  labels: ["work"],
  maxLabelSets: 48,
  meaning: "Failed runs of background work, which are repeated"
})
export const consumersLagging = defineGauge({
  name: "latchkey_event_consumers_lagging",
  unit: "{consumer}",
  aggregation: "max",
  meaning: "Consumers of the event feed that are more than 30 minutes behind"
})
export const webhookTries = defineOutcomeCounter({
  name: "latchkey.webhook.tries",
  unit: "{try}",
  outcomes: ["delivered", "failed", "dead_letter"],
  meaning: "Attempts of webhook deliveries: delivered, failed (repeated later) or dead_letter (last attempt)"
})
export const channelPushes = defineOutcomeCounter({
  name: "latchkey.channel.pushes",
  unit: "{push}",
  outcomes: ["pushed", "nothing", "refused", "unserved", "failed"],
  meaning:
    "Pushes to channels: pushed, nothing (no change), refused (by the channel), unserved (no connector) or failed (repeated later)"
})
export const channelComparisons = defineOutcomeCounter({
  name: "latchkey.channel.comparisons",
  unit: "{comparison}",
  outcomes: ["compared", "failed"],
  meaning: "Comparisons of calendars with their channels: compared or failed (repeated later)"
})
export const messageTries = defineOutcomeCounter({
  name: "latchkey.message.tries",
  unit: "{try}",
  outcomes: ["sent", "refused", "unknown", "failed"],
  meaning:
    "Attempts to send messages to guests: sent, refused (by the channel), unknown (outcome not known) or failed (repeated later)"
})
export const calendarFetches = defineOutcomeCounter({
  name: "latchkey.calendar.fetches",
  unit: "{fetch}",
  outcomes: ["read", "unchanged", "failed"],
  meaning: "Fetches of imported calendars: read, unchanged or failed (repeated later)"
})

export const buildInfo = defineGauge({
  name: "latchkey.build.info",
  unit: "",
  labels: ["version", "node"],
  maxLabelSets: 3,
  aggregation: "max",
  meaning: "1, with the releases of the service and of Node.js as labels"
})
export const residentBytes = defineGauge({
  name: "process.memory.usage",
  unit: "By",
  aggregation: "sum",
  meaning: "Resident memory"
})
export const heapUsedBytes = defineGauge({
  name: "v8js.memory.heap.used",
  unit: "By",
  aggregation: "sum",
  meaning: "JavaScript heap in use"
})
export const heapLimitBytes = defineGauge({
  name: "v8js.memory.heap.limit",
  unit: "By",
  aggregation: "sum",
  meaning: "Largest JavaScript heap"
})
export const heapUtilization = defineGauge({
  name: "latchkey.memory.heap.utilization",
  unit: "1",
  aggregation: "max",
  meaning: "Share of the old generation of the JavaScript heap in use, of the fullest process; at 1 the process crashes"
})
export const externalBytes = defineGauge({
  name: "latchkey.memory.external",
  unit: "By",
  aggregation: "sum",
  meaning: "Memory outside of the heap: buffers and the embedded database"
})
export const cpuTime = defineCounter({
  name: "process.cpu.time",
  unit: "s",
  labels: ["cpu.mode"],
  maxLabelSets: 3,
  meaning: "Processor time of all threads, user and system"
})
export const workersDied = defineCounter({
  name: "latchkey.workers.died",
  unit: "{worker}",
  meaning: "Workers that ended unexpectedly and were replaced"
})
export const uptime = defineGauge({
  name: "process.uptime",
  unit: "s",
  aggregation: "max",
  meaning: "Seconds since the start of the first process"
})
export const openFiles = defineGauge({
  name: "process.open_file_descriptor.count",
  unit: "{count}",
  aggregation: "sum",
  meaning: "Open files, sockets and pipes (Linux)"
})
export const loopDelayP50 = defineGauge({
  name: "nodejs.eventloop.delay.p50",
  unit: "s",
  aggregation: "max",
  meaning: "Delay of the event loop in the last 10 s: median"
})
export const loopDelayP99 = defineGauge({
  name: "nodejs.eventloop.delay.p99",
  unit: "s",
  aggregation: "max",
  meaning: "Delay of the event loop in the last 10 s: 99th percentile"
})
export const loopDelayMax = defineGauge({
  name: "nodejs.eventloop.delay.max",
  unit: "s",
  aggregation: "max",
  meaning: "Delay of the event loop in the last 10 s: maximum"
})
export const loopUtilization = defineGauge({
  name: "nodejs.eventloop.utilization",
  unit: "1",
  aggregation: "max",
  meaning: "Share of the last 10 s in which the event loop was busy"
})

export const OUTCOME_COUNTERS = [webhookTries, channelPushes, channelComparisons, messageTries, calendarFetches]

/** In the order of the documentation. */
export const METRIC_DEFINITIONS: ReadonlyArray<MetricDefinition> = [
  requestDuration,
  callDuration,
  calls,
  rateWindowRejections,
  anonymousFailedCalls,
  permitsLimit,
  permitsUsed,
  queuedCalls,
  permitWaitDuration,
  permitRejections,
  statementDuration,
  statementsFailed,
  connectionsMax,
  connectionsUsed,
  connectionsPending,
  databaseUp,
  redisUp,
  backlogDue,
  backlogAge,
  backgroundFailures,
  consumersLagging,
  webhookTries,
  channelPushes,
  channelComparisons,
  messageTries,
  calendarFetches,
  buildInfo,
  residentBytes,
  heapUsedBytes,
  heapLimitBytes,
  heapUtilization,
  externalBytes,
  cpuTime,
  workersDied,
  uptime,
  openFiles,
  loopDelayP50,
  loopDelayP99,
  loopDelayMax,
  loopUtilization
].map(({ definition }) => definition)

const byName: ReadonlyMap<string, MetricDefinition> = new Map(METRIC_DEFINITIONS.map((each) => [each.name, each]))

export const findMetricDefinition = (name: string): MetricDefinition | undefined => byName.get(name)

export const findGaugeAggregation = (name: string): GaugeAggregation => byName.get(name)?.aggregation ?? "max"
