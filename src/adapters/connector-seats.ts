import { Clock, Deferred, Effect } from "effect"
import { CONNECTOR_BODIES, CONNECTOR_BODY_PROTECTED_MS } from "../limits.ts"

/** Where a message comes from, as far as that is known before it is signed: which connector it names, and from which network. */
export interface MessageSource {
  readonly connectorId: number
  readonly network: string
}

/** A body on its way. */
export interface ArrivingBody extends MessageSource {
  /** When its seat was taken, in milliseconds. */
  readonly since: number
}

/**
 * The body that gives its seat to a new message while all seats are taken; undefined: none does, and the new message is refused.
 * `bodies` are in the order they came. The oldest body of the largest share is chosen: of the connector with the most seats, and
 * within it of the network with the most. It gives way if its share is larger than the new message's, the new message counted,
 * or if it has been arriving for longer than {@link CONNECTOR_BODY_PROTECTED_MS}.
 */
export const bodyThatGivesWay = <Body extends ArrivingBody>(
  bodies: Iterable<Body>,
  source: MessageSource,
  now: number
): Body | undefined => {
  const all = Array.from(bodies)
  const seats = countSeats([...all, source])
  let largest: Body | undefined
  for (const body of all) if (largest === undefined || seats.compare(body, largest) > 0) largest = body
  if (largest === undefined) return undefined
  const isLarger = seats.compare(largest, source) > 0
  return isLarger || now - largest.since > CONNECTOR_BODY_PROTECTED_MS ? largest : undefined
}

/** Counts the seats of each connector, and of each network of it; compares two sources by them, the connector first. */
const countSeats = (sources: ReadonlyArray<MessageSource>) => {
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

interface SeatedBody extends ArrivingBody {
  readonly giveWay: () => void
}

/**
 * The bodies that arrive in this process before anybody knows who sent them. Their number is bounded, and slow senders keep out
 * nobody but themselves.
 */
export class ConnectorSeats<Refusal> {
  readonly #bodies = new Set<SeatedBody>()
  readonly #noSeat: Refusal

  /** `noSeat`: what a message fails with that gets no seat, or has to give it to another. */
  constructor(noSeat: Refusal) {
    this.#noSeat = noSeat
  }

  /** Receives a body in a seat. */
  readonly within = <A, E, R>(
    source: MessageSource,
    receive: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | Refusal, R> =>
    Effect.acquireUseRelease(
      Effect.flatMap(Clock.currentTimeMillis, (now) => this.#take(source, now)),
      ({ lost }) => Effect.raceFirst(receive, Deferred.await(lost)),
      ({ body }) => Effect.sync(() => void this.#bodies.delete(body))
    )

  #take(source: MessageSource, now: number) {
    if (this.#bodies.size >= CONNECTOR_BODIES) {
      const other = bodyThatGivesWay(this.#bodies, source, now)
      if (other === undefined) return Effect.fail(this.#noSeat)
      this.#bodies.delete(other)
      other.giveWay()
    }
    const lost = Deferred.makeUnsafe<never, Refusal>()
    const giveWay = () => Deferred.doneUnsafe(lost, Effect.fail(this.#noSeat))
    const body: SeatedBody = { ...source, since: now, giveWay }
    this.#bodies.add(body)
    return Effect.succeed({ body, lost })
  }
}
