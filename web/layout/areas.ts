import { BadgeCheck, Code2, GraduationCap, type LucideIcon, ShieldCheck } from 'lucide-react'
import { words } from '../words/words.ts'

export interface NavigationEntry {
  readonly to: '/dashboard' | '/console/apps' | '/admin/approvals'
  readonly label: string
  readonly icon: LucideIcon
}

export interface Area {
  readonly id: 'dashboard' | 'console' | 'admin'
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
    pages: [{ to: '/console/apps', label: words.navigation.apps, icon: Code2 }],
  },
  {
    id: 'admin',
    label: words.areas.admin,
    icon: ShieldCheck,
    pages: [{ to: '/admin/approvals', label: words.navigation.approvals, icon: BadgeCheck }],
  },
]
