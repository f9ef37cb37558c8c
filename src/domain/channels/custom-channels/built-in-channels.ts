import type { DeploymentName } from "../../../platform/installation.ts"
import type { CustomChannel } from "./contract.ts"

/** The ids 29 and 35 are set by the specification (contract facts 2.8). No id ever changes its meaning. */
const COMMON_CHANNELS: ReadonlyArray<CustomChannel> = [
  { id: 29, name: "Booking site" },
  { id: 30, name: "Direct" },
  { id: 31, name: "Phone" },
  { id: 32, name: "Walk-in" },
  { id: 33, name: "E-mail" },
  { id: 34, name: "Travel agency" }
]

const INTERNATIONAL_CHANNELS: ReadonlyArray<CustomChannel> = [{ id: 35, name: "International agency" }]

export const listCustomChannels = (deployment: DeploymentName): ReadonlyArray<CustomChannel> =>
  deployment === "international" ? [...COMMON_CHANNELS, ...INTERNATIONAL_CHANNELS] : COMMON_CHANNELS

export const findCustomChannel = (deployment: DeploymentName, id: number): CustomChannel | undefined =>
  listCustomChannels(deployment).find((channel) => channel.id === id)
