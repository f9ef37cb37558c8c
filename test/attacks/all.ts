import { Effect, type Scope } from "effect"
import { BaseUrl } from "../support/http-server.ts"
import { backends } from "./backends.ts"
import { creations } from "./creations.ts"
import type { Target } from "./doors.ts"
import type { Figures } from "./figures.ts"
import { fuzz } from "./fuzz.ts"
import { besideArgumentsRefusedByMcp, besideBodiesRefusedByRest, besideHeavyReads } from "./greedy.ts"
import { embeddedGround, type Ground, layerOnGround, serverGround } from "./grounds.ts"
import { isolation } from "./isolation.ts"
import { keyedKills } from "./keyed-kills.ts"
import { kills } from "./kills.ts"
import { lostAnswers } from "./lost-answers.ts"
import { messageKills } from "./message-kills.ts"
import { burst } from "./one-bad-answer.ts"
import { planKills } from "./plan-kills.ts"
import { stops } from "./stops.ts"
import { twoCalendars } from "./two-calendars.ts"
import { connections } from "./wire.ts"

// Every attack with the budget of its long form.

interface Attack {
  /** What `npm run attack -- NAME` calls it. */
  readonly name: string
  readonly on: ReadonlyArray<Ground["on"]>
  readonly run: (ground: Ground, seed: number) => Effect.Effect<Figures, never, Scope.Scope>
}

const BOTH: ReadonlyArray<Ground["on"]> = ["embedded", "PostgreSQL"]

/** An attack on the service in this process, over so many connections. */
const served = <R>(ground: Ground, most: number, attack: (target: Target) => Effect.Effect<Figures, never, R>) =>
  Effect.flatMap(BaseUrl, (base) => attack({ base, agent: connections(most) })).pipe(
    Effect.provide(layerOnGround(ground))
  )

const CREATIONS = 500
const CALLERS = 32
const MINUTE = 60_000

export const ATTACKS: ReadonlyArray<Attack> = [
  {
    name: "fuzz",
    on: BOTH,
    run: (ground, seed) => served(ground, 4, (target) => fuzz(target, { on: ground.on, calls: 52_000, seed }))
  },
  {
    name: "isolation",
    on: BOTH,
    run: (ground, seed) => served(ground, 4, (target) => isolation(target, { on: ground.on, probes: 100_000, seed }))
  },
  {
    name: "creations",
    on: BOTH,
    run: (ground) => served(ground, CREATIONS, (target) => creations(target, { on: ground.on, creations: CREATIONS }))
  },
  {
    name: "kills",
    on: BOTH,
    run: (ground) => kills(ground, { rounds: 20, writers: 16, writes: [100, 1_500], arriveMs: 5 * MINUTE })
  },
  {
    name: "keyed-kills",
    on: BOTH,
    run: (ground) => keyedKills(ground, { kills: 30, writers: 16, writes: [20, 300] })
  },
  {
    name: "message-kills",
    on: BOTH,
    run: (ground) => messageKills(ground, { rounds: 20, threads: 40, each: 3, lateMs: 200, goneMs: 5 * MINUTE })
  },
  {
    name: "plan-kills",
    on: BOTH,
    run: (ground) =>
      planKills(ground, {
        rounds: 20,
        processes: 3,
        stays: 15,
        left: 4,
        lateMs: 200,
        killedWithinMs: 3_000,
        goneMs: 5 * MINUTE
      })
  },
  {
    name: "lost-answers",
    on: BOTH,
    run: (ground) =>
      served(ground, CALLERS, (target) => lostAnswers(target, { on: ground.on, each: 1_000, callers: CALLERS }))
  },
  {
    name: "backends",
    on: ["PostgreSQL"],
    run: (ground) => backends(ground, { rounds: 60, writers: 16, pauseMs: 500, recoverMs: 5_000, arriveMs: 5 * MINUTE })
  },
  {
    name: "bad-answer",
    on: BOTH,
    run: (ground) => burst(ground, { mishap: "answers 500", days: 300, arriveMs: 3 * MINUTE })
  },
  {
    name: "hanging",
    on: BOTH,
    run: (ground) => burst(ground, { mishap: "hangs", days: 300, arriveMs: 3 * MINUTE })
  },
  {
    name: "greedy",
    on: BOTH,
    run: (ground) => besideHeavyReads(ground, { callers: 200, measureMs: 15_000 })
  },
  ...[besideBodiesRefusedByRest, besideArgumentsRefusedByMcp].map(
    (attack): Attack => ({
      name: "greedy",
      on: BOTH,
      run: (ground) => attack(ground, { callers: 60, measureMs: 15_000 })
    })
  ),
  ...(["counter-feeds", "own feeds"] as const).map(
    (addresses): Attack => ({
      name: "two-calendars",
      on: BOTH,
      run: (ground, seed) =>
        Effect.flatMap(
          ground.on === "embedded" ? embeddedGround : serverGround(process.env["DATABASE_URL"] ?? ""),
          (other) =>
            twoCalendars([ground.layer, other.layer], { on: ground.on, addresses, days: 30, actsADay: 200, seed })
        )
    })
  ),
  {
    name: "stops",
    on: BOTH,
    run: (ground) => stops(ground, { rounds: 10, callers: 16, loadMs: 1_000 })
  }
]
