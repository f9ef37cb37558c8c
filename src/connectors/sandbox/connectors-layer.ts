import { Effect, Layer } from "effect"
import { Connectors } from "../../domain/channels/port/connector.ts"
import { SandboxConnector } from "./SandboxConnector.ts"

/** The connectors of a process that has the sandbox. */
export const layerSandboxConnector = Layer.effect(
  Connectors,
  Effect.map(SandboxConnector, (sandbox) => ({ find: (name: string) => (name === "sandbox" ? sandbox : undefined) }))
)
