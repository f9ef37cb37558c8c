import { Clock, Deferred, Effect } from "effect"
import { CONCURRENT_CONNECTOR_BODIES_MAX, CONNECTOR_BODY_PROTECTED_MS } from "../../platform/limits.ts"

/** The connector in the path of an unverified message, and the caller's network. */
export interface MessageSource {
  readonly connectorId: number
  readonly network: string
}

interface ArrivingBody extends MessageSource {
  readonly since: number
}

/**
 * Chooses the body that loses its permit to a new message, or undefined to reject that message. `bodies` are sorted
 * from old to new.
 *
 * The candidate is the oldest body of the connector with the most permits, and there of the network with the most. It
 * loses its permit if its connector would have more permits than that of the new message. If both would have equally
 * many, their networks are compared. After {@link CONNECTOR_BODY_PROTECTED_MS} it always loses its permit.
 */
export const chooseBodyToEvict = <Body extends ArrivingBody>(
  bodies: Iterable<Body>,
  source: MessageSource,
  now: number
): Body | undefined => {
  const all = Array.from(bodies)
  const permits = countPermits([...all, source])
  let candidate: Body | undefined
  for (const body of all) if (candidate === undefined || permits.compare(body, candidate) > 0) candidate = body
  if (candidate === undefined) return undefined
  const holdsMore = permits.compare(candidate, source) > 0
  return holdsMore || now - candidate.since > CONNECTOR_BODY_PROTECTED_MS ? candidate : undefined
}

const countPermits = (sources: ReadonlyArray<MessageSource>) => {
  const counts = new Map<number | string, number>()
  const networkKey = ({ connectorId, network }: MessageSource): string => `${connectorId} ${network}`
  const count = (key: number | string): number => counts.get(key) ?? 0
  for (const source of sources)
    for (const key of [source.connectorId, networkKey(source)]) counts.set(key, count(key) + 1)
  return {
    compare: (one: MessageSource, other: MessageSource): number =>
      count(one.connectorId) - count(other.connectorId) || count(networkKey(one)) - count(networkKey(other))
  }
}

interface HeldBody extends ArrivingBody {
  readonly evict: () => void
}

/**
 * Limits the bodies that this process receives concurrently before it checks signatures. A slow sender blocks only its
 * own connector and network.
 */
export class ConnectorPermits<Refusal> {
  readonly #bodies = new Set<HeldBody>()
  readonly #refusal: Refusal

  constructor(refusal: Refusal) {
    this.#refusal = refusal
  }

  readonly within = <A, E, R>(
    source: MessageSource,
    receive: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | Refusal, R> =>
    Effect.acquireUseRelease(
      Effect.flatMap(Clock.currentTimeMillis, (now) => this.#acquire(source, now)),
      ({ evicted }) => Effect.raceFirst(receive, Deferred.await(evicted)),
      ({ body }) => Effect.sync(() => void this.#bodies.delete(body))
    )

  #acquire(source: MessageSource, now: number) {
    if (this.#bodies.size >= CONCURRENT_CONNECTOR_BODIES_MAX) {
      const other = chooseBodyToEvict(this.#bodies, source, now)
      if (other === undefined) return Effect.fail(this.#refusal)
      this.#bodies.delete(other)
      other.evict()
    }
    const evicted = Deferred.makeUnsafe<never, Refusal>()
    const evict = () => Deferred.doneUnsafe(evicted, Effect.fail(this.#refusal))
    const body: HeldBody = { ...source, since: now, evict }
    this.#bodies.add(body)
    return Effect.succeed({ body, evicted })
  }
}
