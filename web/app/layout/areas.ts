import {
  Activity,
  BadgeCheck,
  Bell,
  Blocks,
  BookA,
  Building2,
  CalendarDays,
  ClipboardList,
  Code2,
  Compass,
  Database,
  Download,
  FileCheck,
  FlaskConical,
  GraduationCap,
  HardDrive,
  type IconType,
  IdCard,
  Mail,
  Plug,
  ScrollText,
  ShieldCheck,
  UserRound,
  Users,
  UsersRound,
} from '../../parts/icons.tsx'
import { appWords } from '../words.ts'

export interface NavigationEntry {
  readonly to:
    | '/dashboard'
    | '/dashboard/calendar'
    | '/console/apps'
    | '/console/organisations'
    | '/console/plugins'
    | '/console/ato'
    | '/console/sandbox'
    | '/planner'
    | '/planner/plans'
    | '/account'
    | '/admin'
    | `/account/${'profile' | 'security' | 'friends' | 'children' | 'invitations' | 'notifications' | 'data'}`
    | `/admin/${'approvals' | 'people' | 'permissions' | 'record-store' | 'verbs' | 'storage' | 'audit' | 'system'}`
  readonly label: string
  readonly icon: IconType
  /** Whether the page is only for people who may look after children. */
  readonly isForParents?: boolean
}

export interface Area {
  readonly id: 'dashboard' | 'organisations' | 'console' | 'planner' | 'admin' | 'account'
  readonly label: string
  readonly icon: IconType
  readonly pages: readonly [NavigationEntry, ...NavigationEntry[]]
}

/**
 * All areas, with the pages in their navigation. Areas that a person may not use are hidden, but only for convenience:
 * each operation checks permissions itself.
 */
export const AREAS: readonly Area[] = [
  {
    id: 'dashboard',
    label: appWords.areas.dashboard,
    icon: GraduationCap,
    pages: [
      { to: '/dashboard', label: appWords.navigation.myClasses, icon: GraduationCap },
      { to: '/dashboard/calendar', label: appWords.navigation.calendar, icon: CalendarDays },
    ],
  },
  // People who run a school are not developers, so they do not have to look for it in the console.
  {
    id: 'organisations',
    label: appWords.areas.organisations,
    icon: Building2,
    pages: [{ to: '/console/organisations', label: appWords.navigation.organisations, icon: Building2 }],
  },
  {
    id: 'console',
    label: appWords.areas.console,
    icon: Code2,
    pages: [
      { to: '/console/apps', label: appWords.navigation.apps, icon: Code2 },
      { to: '/console/plugins', label: appWords.navigation.plugins, icon: Plug },
      { to: '/console/ato', label: appWords.navigation.ato, icon: FileCheck },
      { to: '/console/sandbox', label: appWords.navigation.sandbox, icon: FlaskConical },
    ],
  },
  {
    id: 'planner',
    label: appWords.areas.planner,
    icon: Compass,
    pages: [
      { to: '/planner', label: appWords.navigation.search, icon: Compass },
      { to: '/planner/plans', label: appWords.navigation.plans, icon: ClipboardList },
    ],
  },
  {
    id: 'admin',
    label: appWords.areas.admin,
    icon: ShieldCheck,
    pages: [
      { to: '/admin', label: appWords.navigation.overview, icon: ShieldCheck },
      { to: '/admin/approvals', label: appWords.navigation.approvals, icon: BadgeCheck },
      { to: '/admin/people', label: appWords.navigation.people, icon: Users },
      { to: '/admin/permissions', label: appWords.navigation.permissions, icon: Blocks },
      { to: '/admin/record-store', label: appWords.navigation.recordStore, icon: Database },
      { to: '/admin/verbs', label: appWords.navigation.verbs, icon: BookA },
      { to: '/admin/storage', label: appWords.navigation.storage, icon: HardDrive },
      { to: '/admin/audit', label: appWords.navigation.audit, icon: ScrollText },
      { to: '/admin/system', label: appWords.navigation.system, icon: Activity },
    ],
  },
  // Every person has this area. Its link is in the menu with the person's name, not in the header.
  {
    id: 'account',
    label: appWords.areas.account,
    icon: UserRound,
    pages: [
      { to: '/account', label: appWords.navigation.overview, icon: UserRound },
      { to: '/account/profile', label: appWords.navigation.profile, icon: IdCard },
      { to: '/account/security', label: appWords.navigation.security, icon: ShieldCheck },
      { to: '/account/friends', label: appWords.navigation.friends, icon: Users },
      { to: '/account/children', label: appWords.navigation.children, icon: UsersRound, isForParents: true },
      { to: '/account/invitations', label: appWords.navigation.invitations, icon: Mail },
      { to: '/account/notifications', label: appWords.navigation.notifications, icon: Bell },
      { to: '/account/data', label: appWords.navigation.data, icon: Download },
    ],
  },
]

const isBelow = (path: string, root: string): boolean => path === root || path.startsWith(`${root}/`)

/** Finds the area of a path: the one with this page or, for other pages, the one that the path begins with. */
export const areaOf = (path: string): Area | undefined =>
  AREAS.find(({ pages }) => pages.length === 1 && isBelow(path, pages[0].to)) ??
  AREAS.find(({ id }) => isBelow(path, `/${id}`))
