import { Text } from '@mantine/core'
import type { LessonProps } from './lesson-props.ts'
import { lessonWords as say } from './words.ts'

export const QuizLesson = ({ lesson }: LessonProps) => <Text>{lesson.text ?? say.withInstructor}</Text>
