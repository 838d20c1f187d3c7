import type { ComponentType } from 'react'
import type { LessonDetails } from '../../../api/operations.ts'
import { onDemand } from '../../../parts/on-demand.ts'
import type { KindFieldsProps, Step } from './fields-props.ts'

type Kind = LessonDetails['kind']

/** The fields of each kind of lesson, loaded on demand. */
export const KIND_FIELDS: Partial<Record<Kind, ComponentType<KindFieldsProps>>> = {
  app: onDemand(async () => (await import('./app-fields.tsx')).AppFields),
  'instructor-led': onDemand(async () => (await import('./rubric-fields.tsx')).RubricFields),
  page: onDemand(async () => (await import('./page-fields.tsx')).PageFields),
  file: onDemand(async () => (await import('./file-fields.tsx')).FileFields),
  quiz: onDemand(async () => (await import('./quiz-fields.tsx')).QuizFields),
  package: onDemand(async () => (await import('./package-fields.tsx')).PackageFields),
}

/** The fields that belong to each kind. Those of other kinds are removed when the kind changes. */
const CONTENT_OF: Record<Kind, readonly (keyof Step)[]> = {
  activity: [],
  app: ['app', 'launchUri', 'launchParameters', 'passCode'],
  'instructor-led': ['rubric'],
  page: ['text'],
  file: ['file', 'captions'],
  quiz: ['quiz'],
  package: ['package', 'item'],
}

export const kindOf = ({ kind, app }: Step): Kind => kind ?? (app === undefined ? 'activity' : 'app')

export function withKind(lesson: Step, kind: Kind): Step {
  const foreign = Object.values(CONTENT_OF)
    .flat()
    .filter((field) => !CONTENT_OF[kind].includes(field))
  const kept = Object.fromEntries(Object.entries(lesson).filter(([field]) => !foreign.includes(field as keyof Step)))
  return { ...(kept as Step), kind }
}
