import { useClass } from '../classes/class-frame.tsx'
import { QuizResults } from '../quizzes/quiz-results.tsx'
import { QuizRules } from '../quizzes/quiz-rules.tsx'
import { TakeQuiz } from '../quizzes/take-quiz.tsx'
import type { LessonProps } from './lesson-props.ts'

/** A quiz: students take it, staff see its results, and a preview shows its rules. */
export const QuizLesson = ({ lesson, classId, result }: LessonProps) =>
  classId === undefined ? <QuizRules lesson={lesson} /> : <QuizInClass lesson={lesson} result={result} />

function QuizInClass({ lesson, result }: LessonProps) {
  const { classId, studentId } = useClass()
  if (studentId === null) return <QuizResults classId={classId} lessonId={lesson.lessonId} />
  return result && <TakeQuiz lesson={lesson} classId={classId} result={result} />
}
