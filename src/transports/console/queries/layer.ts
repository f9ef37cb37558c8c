import { Layer } from "effect"
import { AccessTokenList } from "./AccessTokenList.ts"
import { AtChannels } from "./AtChannels.ts"
import { BesideTalk } from "./BesideTalk.ts"
import { CalendarsElsewhere } from "./CalendarsElsewhere.ts"
import { ConnectedApplications } from "./ConnectedApplications.ts"
import { DaySheet } from "./DaySheet.ts"
import { DaysBefore } from "./DaysBefore.ts"
import { EntryChoices } from "./EntryChoices.ts"
import { FailedPushes } from "./FailedPushes.ts"
import { FoundStays } from "./FoundStays.ts"
import { History } from "./History.ts"
import { Inbox } from "./Inbox.ts"
import { KnowledgeScopes } from "./KnowledgeScopes.ts"
import { Ledger } from "./Ledger.ts"
import { Month } from "./Month.ts"
import { NotificationChoices } from "./NotificationChoices.ts"
import { OfferedProperties } from "./OfferedProperties.ts"
import { OneListing } from "./OneListing.ts"
import { Overview } from "./Overview.ts"
import { Portfolio } from "./Portfolio.ts"
import { PricedTargets } from "./PricedTargets.ts"
import { PriceGrid } from "./PriceGrid.ts"
import { PropertyPage } from "./PropertyPage.ts"
import { ReviewedStays } from "./ReviewedStays.ts"
import { RuleBook } from "./RuleBook.ts"
import { Sorting } from "./Sorting.ts"
import { StaffDirectory } from "./StaffDirectory.ts"
import { StartProgress } from "./StartProgress.ts"
import { StayBeside } from "./StayBeside.ts"
import { StayMoves } from "./StayMoves.ts"
import { Sums } from "./Sums.ts"
import { Webhooks } from "./Webhooks.ts"
import { WorkPlan } from "./WorkPlan.ts"
import { Year } from "./Year.ts"

export const layerConsoleQueries = Layer.mergeAll(
  Month.layer,
  Overview.layer,
  AtChannels.layer,
  CalendarsElsewhere.layer,
  FailedPushes.layer,
  OneListing.layer,
  Portfolio.layer,
  PropertyPage.layer,
  PriceGrid.layer,
  PricedTargets.layer,
  Sorting.layer,
  StaffDirectory.layer,
  FoundStays.layer,
  OfferedProperties.layer,
  StayBeside.layer,
  StayMoves.layer,
  DaysBefore.layer,
  BesideTalk.layer,
  ReviewedStays.layer,
  Inbox.layer,
  History.layer,
  KnowledgeScopes.layer,
  RuleBook.layer,
  EntryChoices.layer,
  Ledger.layer,
  Sums.layer,
  Year.layer,
  WorkPlan.layer,
  DaySheet.layer,
  Webhooks.layer,
  AccessTokenList.layer,
  ConnectedApplications.layer,
  NotificationChoices.layer,
  StartProgress.layer
)
