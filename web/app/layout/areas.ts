import {
  Activity,
  BadgeCheck,
  Blocks,
  BookA,
  Building2,
  ClipboardList,
  Code2,
  Compass,
  Database,
  Download,
  FileCheck,
  FlaskConical,
  GraduationCap,
  IdCard,
  type LucideIcon,
  Plug,
  ScrollText,
  ShieldCheck,
  UserRound,
  Users,
  UsersRound,
} from 'lucide-react'
import { words } from '../../parts/words.ts'

export interface NavigationEntry {
  readonly to:
    | '/dashboard'
    | '/console/apps'
    | '/console/organisations'
    | '/console/plugins'
    | '/console/ato'
    | '/console/sandbox'
    | '/planner'
    | '/planner/plans'
    | '/account'
    | `/account/${'profile' | 'security' | 'friends' | 'children' | 'data'}`
    | `/admin/${'approvals' | 'people' | 'permissions' | 'record-store' | 'verbs' | 'audit' | 'system'}`
  readonly label: string
  readonly icon: LucideIcon
  /** Who is younger has nothing there. */
  readonly isForAdults?: boolean
}

export interface Area {
  readonly id: 'dashboard' | 'console' | 'planner' | 'admin' | 'account'
  readonly label: string
  readonly icon: LucideIcon
  readonly pages: readonly [NavigationEntry, ...NavigationEntry[]]
}

/** Every area and the pages that its navigation names. An area that a person does not have is not shown to them; the operations behind it decide for themselves. */
export const AREAS: readonly Area[] = [
  {
    id: 'dashboard',
    label: words.areas.dashboard,
    icon: GraduationCap,
    pages: [{ to: '/dashboard', label: words.navigation.myClasses, icon: GraduationCap }],
  },
  {
    id: 'console',
    label: words.areas.console,
    icon: Code2,
    pages: [
      { to: '/console/apps', label: words.navigation.apps, icon: Code2 },
      { to: '/console/plugins', label: words.navigation.plugins, icon: Plug },
      { to: '/console/ato', label: words.navigation.ato, icon: FileCheck },
      { to: '/console/sandbox', label: words.navigation.sandbox, icon: FlaskConical },
      { to: '/console/organisations', label: words.navigation.organisations, icon: Building2 },
    ],
  },
  {
    id: 'planner',
    label: words.areas.planner,
    icon: Compass,
    pages: [
      { to: '/planner', label: words.navigation.search, icon: Compass },
      { to: '/planner/plans', label: words.navigation.plans, icon: ClipboardList },
    ],
  },
  {
    id: 'admin',
    label: words.areas.admin,
    icon: ShieldCheck,
    pages: [
      { to: '/admin/approvals', label: words.navigation.approvals, icon: BadgeCheck },
      { to: '/admin/people', label: words.navigation.people, icon: Users },
      { to: '/admin/permissions', label: words.navigation.permissions, icon: Blocks },
      { to: '/admin/record-store', label: words.navigation.recordStore, icon: Database },
      { to: '/admin/verbs', label: words.navigation.verbs, icon: BookA },
      { to: '/admin/audit', label: words.navigation.audit, icon: ScrollText },
      { to: '/admin/system', label: words.navigation.system, icon: Activity },
    ],
  },
  // Everybody's, and reached by their own name: the header does not list it.
  {
    id: 'account',
    label: words.areas.account,
    icon: UserRound,
    pages: [
      { to: '/account', label: words.navigation.overview, icon: UserRound },
      { to: '/account/profile', label: words.navigation.profile, icon: IdCard },
      { to: '/account/security', label: words.navigation.security, icon: ShieldCheck },
      { to: '/account/friends', label: words.navigation.friends, icon: Users },
      { to: '/account/children', label: words.navigation.children, icon: UsersRound, isForAdults: true },
      { to: '/account/data', label: words.navigation.data, icon: Download },
    ],
  },
]
