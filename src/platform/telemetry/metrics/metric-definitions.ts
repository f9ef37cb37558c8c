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
  meaning: "How long calls took, from the door to the answer, by door (rest, mcp, console)"
})
export const callDuration = defineHistogram({
  name: "latchkey.call.duration",
  unit: "s",
  labels: ["operation"],
  maxLabelSets: 140,
  bounds: CALL_BOUNDS,
  meaning: "How long calls took, by operation; unmatched is what reached none"
})
export const calls = defineCounter({
  name: "latchkey.calls",
  unit: "{call}",
  labels: ["operation", "error_code"],
  maxLabelSets: 1_200,
  meaning: "Calls that were answered, by operation and error_code (0: it succeeded)"
})
export const rateWindowRejections = defineCounter({
  name: "latchkey.windows.refused",
  unit: "{refusal}",
  labels: ["scope"],
  maxLabelSets: 16,
  meaning:
    "What a rate window refused, by the scope of the window that was full (layer 1 user, 2 endpoint, 3 conversation, 4 endpoint_error, and those outside the layers)"
})
export const anonymousFailedCalls = defineCounter({
  name: "latchkey_refusals_of_nobody",
  unit: "{refusal}",
  meaning: "Calls refused without a token that was ever known, and sign-ins without an account"
})

// The metrics keep their older names, because dashboards and alerts use them.

export const permitsLimit = defineGauge({
  name: "latchkey.places.limit",
  unit: "{place}",
  labels: ["of"],
  maxLabelSets: 4,
  aggregation: "sum",
  meaning:
    "Concurrency permits of calls with a token (operators), calls without one (strangers) and console pages (console)"
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
  meaning: "How long queued calls waited for a concurrency permit, including calls that got none"
})
export const permitRejections = defineCounter({
  name: "latchkey.places.refused",
  unit: "{call}",
  labels: ["of", "why"],
  maxLabelSets: 10,
  meaning:
    "Calls that got no concurrency permit: their operator had too_many queued calls, they waited too_long, or would have (overloaded: rejected at once)"
})

export const statementDuration = defineHistogram({
  name: "db.client.operation.duration",
  unit: "s",
  labels: ["pool"],
  maxLabelSets: 3,
  bounds: STATEMENT_BOUNDS,
  meaning: "How long statements took, waiting for a connection included, of requests and of the background"
})
export const statementsFailed = defineCounter({
  name: "latchkey.statements.failed",
  unit: "{statement}",
  labels: ["pool", "error_type"],
  maxLabelSets: 24,
  meaning: "Statements that failed; a UniqueViolation or ConstraintError is mostly a caller's, the rest the database's"
})
export const connectionsMax = defineGauge({
  name: "db.client.connection.max",
  unit: "{connection}",
  labels: ["pool"],
  maxLabelSets: 3,
  aggregation: "sum",
  meaning: "Statements that can be under way at once: one a connection for requests, some share one in the background"
})
export const connectionsUsed = defineGauge({
  name: "db.client.connection.count",
  unit: "{connection}",
  labels: ["pool", "state"],
  maxLabelSets: 3,
  aggregation: "sum",
  meaning: "Of these, what is in use (state used)"
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
  meaning: "1: the database answered when it was asked last; 0: it did not"
})
export const redisUp = defineGauge({
  name: "latchkey.redis.up",
  unit: "",
  aggregation: "min",
  meaning:
    "1: Redis counts the rate windows; 0: it is away and each process counts its own. Only where REDIS_URL is set"
})

export const backlogDue = defineGauge({
  name: "latchkey.backlog.due",
  unit: "{work}",
  labels: ["kind"],
  maxLabelSets: 14,
  aggregation: "max",
  meaning: "What is due and nobody has in hand, of all processes, by kind; 10001 says more than 10,000"
})
export const backlogAge = defineGauge({
  name: "latchkey.backlog.oldest.age",
  unit: "s",
  labels: ["kind"],
  maxLabelSets: 14,
  aggregation: "max",
  meaning: "For how long the oldest of these has been due; 0: nothing is"
})
export const backgroundFailures = defineCounter({
  name: "latchkey.background.failures",
  unit: "{failure}",
  labels: ["work"],
  maxLabelSets: 48,
  meaning: "Turns of background work that broke off and are tried again, by what it does"
})
export const consumersLagging = defineGauge({
  name: "latchkey_event_consumers_lagging",
  unit: "{consumer}",
  aggregation: "max",
  meaning: "Consumers of the feed whose oldest unacknowledged event is older than 30 minutes"
})
export const webhookTries = defineOutcomeCounter({
  name: "latchkey.webhook.tries",
  unit: "{try}",
  outcomes: ["delivered", "failed", "dead_letter"],
  meaning: "Tries of webhook deliveries: delivered, failed (tried again), dead_letter (failed for the last time)"
})
export const channelPushes = defineOutcomeCounter({
  name: "latchkey.channel.pushes",
  unit: "{push}",
  outcomes: ["pushed", "nothing", "refused", "unserved", "failed"],
  meaning:
    "Pushes to channels: pushed, nothing (there was nothing to tell), refused (the channel will not), unserved (no connector), failed (tried again)"
})
export const channelComparisons = defineOutcomeCounter({
  name: "latchkey.channel.comparisons",
  unit: "{comparison}",
  outcomes: ["compared", "failed"],
  meaning:
    "Comparisons of calendars with what their channels sell: compared, or failed (the channel could not be read; tried again)"
})
export const messageTries = defineOutcomeCounter({
  name: "latchkey.message.tries",
  unit: "{try}",
  outcomes: ["sent", "refused", "unknown", "failed"],
  meaning:
    "Tries of messages to guests at their channels, by how they ended: sent, refused, unknown (nobody knows whether it got there), failed (tried again)"
})
export const calendarFetches = defineOutcomeCounter({
  name: "latchkey.calendar.fetches",
  unit: "{fetch}",
  outcomes: ["read", "unchanged", "failed"],
  meaning: "Fetches of imported calendars: read, unchanged, or failed (tried again)"
})

export const buildInfo = defineGauge({
  name: "latchkey.build.info",
  unit: "",
  labels: ["version", "node"],
  maxLabelSets: 3,
  aggregation: "max",
  meaning: "1, with the release of the service and of Node.js as labels"
})
export const residentBytes = defineGauge({
  name: "process.memory.usage",
  unit: "By",
  aggregation: "sum",
  meaning: "Memory that the processes have of the machine (resident set)"
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
  meaning: "What the JavaScript heap may grow to, the room of what dies young included"
})
export const heapUtilization = defineGauge({
  name: "latchkey.memory.heap.utilization",
  unit: "1",
  aggregation: "max",
  meaning:
    "What outlived its youth in the JavaScript heap, of what that may grow to before a process ends; of the fullest process"
})
export const externalBytes = defineGauge({
  name: "latchkey.memory.external",
  unit: "By",
  aggregation: "sum",
  meaning: "Memory outside the heap that JavaScript keeps: buffers, the embedded database"
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
  meaning: "Workers that ended though nobody had asked them to, told by their parent; others were started for them"
})
export const uptime = defineGauge({
  name: "process.uptime",
  unit: "s",
  aggregation: "max",
  meaning: "Seconds since the first of the processes began: with workers that is their parent"
})
export const openFiles = defineGauge({
  name: "process.open_file_descriptor.count",
  unit: "{count}",
  aggregation: "sum",
  meaning: "Files, sockets and pipes that are open (Linux)"
})
export const loopDelayP50 = defineGauge({
  name: "nodejs.eventloop.delay.p50",
  unit: "s",
  aggregation: "max",
  meaning: "How late the event loop came by in the last 10 s: the median"
})
export const loopDelayP99 = defineGauge({
  name: "nodejs.eventloop.delay.p99",
  unit: "s",
  aggregation: "max",
  meaning: "The same: what one in a hundred exceeded"
})
export const loopDelayMax = defineGauge({
  name: "nodejs.eventloop.delay.max",
  unit: "s",
  aggregation: "max",
  meaning: "The same: the longest"
})
export const loopUtilization = defineGauge({
  name: "nodejs.eventloop.utilization",
  unit: "1",
  aggregation: "max",
  meaning: "The share of the last 10 s in which the event loop had work"
})

/** Counters that start at 0 with the process. */
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

/** Returns how a gauge of several processes is combined. Default: the maximum. */
export const findGaugeAggregation = (name: string): GaugeAggregation => byName.get(name)?.aggregation ?? "max"
